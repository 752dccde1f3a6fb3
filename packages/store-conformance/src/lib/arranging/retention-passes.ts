import { NOTHING_REMOVED, type RetentionCounts, type RetentionHorizons, type Store } from '@callboard/core/store'

export const HOUR_MS: number = 3_600_000
/** The counts of a pass that finds nothing to remove. */
export const NOTHING: RetentionCounts = NOTHING_REMOVED

/** Keeps everything for ten hours, and up to 1,000 responses of each subscription, unless overridden. */
export function horizons(overrides: Partial<RetentionHorizons> = {}): RetentionHorizons {
  const ten = 10 * HOUR_MS
  return {
    eventsMs: ten,
    attemptsMs: ten,
    responsesMs: ten,
    subscriptionsMs: ten,
    auditMs: ten,
    maxResponses: 1000,
    ...overrides,
  }
}

/** Runs a whole pass of retention. */
export async function retainAll(
  { maintenance }: Pick<Store<unknown>, 'maintenance'>,
  kept: RetentionHorizons,
  limit = 1000,
): Promise<RetentionCounts> {
  const total = { ...NOTHING }
  for (let steps = 0; steps < 200; steps++) {
    const { state, ...counts } = await maintenance.retain(kept, limit)
    for (const kind of ['events', 'expired', 'attempts', 'responses', 'subscriptions', 'auditEntries', 'keys'] as const)
      total[kind] += counts[kind]
    if (state === 'done') return total
  }
  throw new Error('a pass of retention has no end')
}

/** Keeps events for one hour, and everything else for ten hours. */
export const EVENTS_OF_AN_HOUR: RetentionHorizons = horizons({ eventsMs: HOUR_MS })
