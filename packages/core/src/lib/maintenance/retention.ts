import { type OfSubscription, readSubscription } from '../accounts/owner.ts'
import { CallboardError } from '../errors.ts'
import {
  type ExpiredRange,
  type MaintenanceStore,
  NOTHING_REMOVED,
  type RetentionCounts,
  type RetentionHorizons,
} from '../ports/maintenance-store.ts'
import { assertWhole, MAX_COUNT } from '../validation/whole-number.ts'
import { assertSteps } from './maintenance-steps.ts'

const DAY_MS = 86_400_000
/** The longest retention period: 100 years. The limit keeps times well within the range of any database. */
const LONGEST_MS = 100 * 366 * DAY_MS

/** How long data is kept, in milliseconds, and how many responses of each subscription are kept. */
export type RetentionOptions = {
  readonly [horizon in keyof RetentionHorizons]?: RetentionHorizons[horizon] | undefined
}

export interface RunRetentionOptions {
  /** The most rows of each kind that one step removes; 1,000 by default. */
  readonly limit?: number | undefined
  /** The most steps to run; by default, as many as the pass needs. */
  readonly steps?: number | undefined
}

export interface RetentionReport extends RetentionCounts {
  /** Whether the pass is incomplete: this call reached `steps`, or `busy` is true. */
  readonly hasMore: boolean
  /** Whether this call stopped because a worker or another caller is running retention at this moment. */
  readonly busy: boolean
}

/**
 * Removes data that is past its retention period or left over from deleted accounts. Workers run retention every hour.
 * Call `run` to run it at another time, or to get the report.
 */
export interface Retention {
  readonly horizons: RetentionHorizons
  /**
   * Runs a pass, or continues one that was interrupted, in steps of a few milliseconds that block neither publishers
   * nor workers. Throws `VALIDATION_FAILED`.
   */
  run(options?: RunRetentionOptions): Promise<RetentionReport>
  /**
   * Lists a subscription's deliveries that expired before their first attempt, as ranges of positions in the feed,
   * oldest first.
   */
  expired(subscription: OfSubscription): Promise<ExpiredRange[]>
}

export function createRetention(store: MaintenanceStore, horizons: RetentionHorizons): Retention {
  return {
    horizons,
    async run({ limit = 1000, steps = Number.MAX_SAFE_INTEGER } = {}) {
      assertSteps({ limit, steps })
      let total: RetentionReport = { hasMore: true, busy: false, ...NOTHING_REMOVED }
      for (let step = 0; step < steps && total.hasMore && !total.busy; step++) {
        const { state, ...removed } = await store.retain(horizons, limit)
        total = {
          hasMore: state !== 'done',
          busy: state === 'busy',
          events: total.events + removed.events,
          expired: total.expired + removed.expired,
          attempts: total.attempts + removed.attempts,
          responses: total.responses + removed.responses,
          subscriptions: total.subscriptions + removed.subscriptions,
          auditEntries: total.auditEntries + removed.auditEntries,
          keys: total.keys + removed.keys,
        }
      }
      return total
    },
    expired: async (subscription) => store.expiredRanges(readSubscription(subscription)),
  }
}

/**
 * Fills in the default horizons.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a horizon that is not positive or exceeds 100 years, for an
 *   invalid `maxResponses`, and when events would be removed while `GET /v1/events` can still read them.
 */
export function readHorizons(options: RetentionOptions, eventHorizonMs: number): RetentionHorizons {
  const { maxResponses = 1_000 } = options
  assertWhole({ eventHorizonMs }, 1, LONGEST_MS)
  assertWhole({ 'retention.maxResponses': maxResponses }, 1, MAX_COUNT)
  const horizons = {
    eventsMs: options.eventsMs ?? Math.max(30 * DAY_MS, eventHorizonMs),
    attemptsMs: options.attemptsMs ?? 30 * DAY_MS,
    responsesMs: options.responsesMs ?? 7 * DAY_MS,
    subscriptionsMs: options.subscriptionsMs ?? 30 * DAY_MS,
    auditMs: options.auditMs ?? 365 * DAY_MS,
  }
  for (const [name, horizon] of Object.entries(horizons))
    if (!(horizon > 0 && horizon <= LONGEST_MS))
      throw new CallboardError(
        'CONFIGURATION_INVALID',
        `retention.${name} must be a positive number of milliseconds, at most 100 years.`,
      )
  if (horizons.eventsMs < eventHorizonMs)
    throw new CallboardError('CONFIGURATION_INVALID', 'retention.eventsMs must be at least eventHorizonMs.')
  return { ...horizons, maxResponses }
}
