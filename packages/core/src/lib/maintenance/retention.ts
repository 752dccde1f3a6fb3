import { type OwnedRef, readRef } from '../accounts/owner.ts'
import { CallboardError } from '../errors.ts'
import type { ExpiredRange, MaintenanceStore, RetentionCounts, RetentionHorizons } from '../ports/maintenance-store.ts'
import { assertSteps } from './maintenance-steps.ts'

const DAY_MS = 86_400_000
/** Farther back no database's time needs to reach. */
const LONGEST_MS = 100 * 366 * DAY_MS

/** How long things are kept, in milliseconds. */
export type RetentionOptions = {
  readonly [horizon in keyof RetentionHorizons]?: RetentionHorizons[horizon] | undefined
}

export interface RunRetentionOptions {
  /** Rows of a kind that a step removes at most; 1,000 by default. */
  readonly limit?: number | undefined
  /** Steps at most; by default as many as one pass takes. */
  readonly steps?: number | undefined
}

export interface RetentionReport extends RetentionCounts {
  /** Whether the pass has not ended: the steps were used up, or it is not this caller's. */
  readonly hasMore: boolean
  /** A worker, or another caller, is at it at this moment: this call has stopped there. */
  readonly busy: boolean
}

/**
 * Removes what has been kept long enough (decisions, “Horizon”). Workers do it by themselves, every hour; this is for platforms that
 * want it at another time, or want to know.
 */
export interface Retention {
  readonly horizons: RetentionHorizons
  /** In steps of a few milliseconds that block neither publishers nor workers. A pass that was cut off is gone on with. */
  run(options?: RunRetentionOptions): Promise<RetentionReport>
  /** Deliveries of a subscription that nobody had tried when retention removed their event, as ranges of the feed, oldest first. */
  expired(ref: OwnedRef): Promise<ExpiredRange[]>
}

export function createRetention(store: MaintenanceStore, horizons: RetentionHorizons): Retention {
  return {
    horizons,
    async run({ limit = 1000, steps = Number.MAX_SAFE_INTEGER } = {}) {
      assertSteps({ limit, steps })
      let total: RetentionReport = {
        hasMore: true,
        busy: false,
        events: 0,
        expired: 0,
        attempts: 0,
        responses: 0,
        subscriptions: 0,
      }
      for (let step = 0; step < steps && total.hasMore && !total.busy; step++) {
        const { state, events, expired, attempts, responses, subscriptions } = await store.retain(horizons, limit)
        total = {
          hasMore: state !== 'done',
          busy: state === 'busy',
          events: total.events + events,
          expired: total.expired + expired,
          attempts: total.attempts + attempts,
          responses: total.responses + responses,
          subscriptions: total.subscriptions + subscriptions,
        }
      }
      return total
    },
    expired: async (ref) => store.expiredRanges(readRef(ref)),
  }
}

/**
 * Fills in the defaults. Events stay at least as long as they are read.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for horizons that are no times, or events that would go while they are still read.
 */
export function readHorizons(options: RetentionOptions, eventHorizonMs: number): RetentionHorizons {
  const horizons = {
    eventsMs: options.eventsMs ?? Math.max(30 * DAY_MS, eventHorizonMs),
    attemptsMs: options.attemptsMs ?? 30 * DAY_MS,
    responsesMs: options.responsesMs ?? 7 * DAY_MS,
    subscriptionsMs: options.subscriptionsMs ?? 30 * DAY_MS,
  }
  for (const [name, horizon] of Object.entries(horizons))
    if (!(horizon > 0 && horizon <= LONGEST_MS))
      throw new CallboardError('CONFIGURATION_INVALID', `retention.${name} must be milliseconds, at most 100 years.`)
  if (horizons.eventsMs < eventHorizonMs)
    throw new CallboardError('CONFIGURATION_INVALID', 'retention.eventsMs must be at least eventHorizonMs.')
  return horizons
}
