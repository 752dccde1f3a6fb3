import type { Call } from '../../call.ts'
import { type AskedTimes, askedTimes } from '../asked-times.ts'

/** The events that the address asks for. */
export interface AskedEvents extends AskedTimes {
  readonly type: string | undefined
  readonly search: string | undefined
  readonly failing: boolean
  readonly cursor: string | undefined
}

/**
 * Reads the filters in the URL's query; undefined if one of them is malformed, or filters by deliveries although the
 * viewer may not see deliveries.
 */
export function askedEvents(call: Call): AskedEvents | undefined {
  const { query, may } = call
  const deliveries = query.get('deliveries') || undefined
  if (deliveries !== undefined && (deliveries !== 'failing' || !may('webhooks.read'))) return undefined
  const times = askedTimes(call)
  if (times === undefined) return undefined
  return {
    type: query.get('type') || undefined,
    search: query.get('search')?.trim() || undefined,
    ...times,
    failing: deliveries === 'failing',
    cursor: query.get('cursor') || undefined,
  }
}
