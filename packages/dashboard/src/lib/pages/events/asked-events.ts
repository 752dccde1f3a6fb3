import type { Call } from '../../call.ts'
import { isTimeZone, zonedTime } from '../../time-zone.ts'

/** The events that the address asks for. */
export interface AskedEvents {
  readonly type: string | undefined
  readonly search: string | undefined
  readonly from: Date | undefined
  readonly to: Date | undefined
  readonly failing: boolean
  readonly cursor: string | undefined
}

/**
 * Reads the filters in the URL's query; undefined if one of them is malformed, or filters by deliveries although the
 * viewer may not see deliveries.
 */
export function askedEvents({ query, timeZone, may }: Call): AskedEvents | undefined {
  const deliveries = query.get('deliveries') || undefined
  if (deliveries !== undefined && (deliveries !== 'failing' || !may('webhooks.read'))) return undefined
  // The query also names the zone of its times, so that a link means the same times in every zone.
  const zone = query.get('zone') ?? timeZone
  if (!isTimeZone(zone)) return undefined
  const [from, to] = [query.get('from') || undefined, query.get('to') || undefined]
  const times = { from: from && zonedTime(from, zone), to: to && zonedTime(to, zone) }
  if ((from && times.from === undefined) || (to && times.to === undefined)) return undefined
  return {
    type: query.get('type') || undefined,
    search: query.get('search')?.trim() || undefined,
    from: times.from || undefined,
    to: times.to || undefined,
    failing: deliveries === 'failing',
    cursor: query.get('cursor') || undefined,
  }
}
