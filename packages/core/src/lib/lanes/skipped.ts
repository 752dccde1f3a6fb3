import { backfillCancelled } from './backfilled.ts'
import { isStillHeld, type Lane, type Retries, type SkippedState } from './lane.ts'
import type { LaneChange } from './lane-change.ts'

export interface Skip {
  readonly as: SkippedState
  /** The feed's last position. */
  readonly end: number
  /** The lane's events that have no position yet. */
  readonly unsequenced: readonly string[]
  readonly now: number
}

/**
 * Ends all pending and retrying deliveries: retries and events without a position one by one, the rest of the feed as a
 * range. A backfill ends. A worker that holds the lane sends nothing more, and what it fails to deliver is not retried.
 * If pending deliveries were ended already during that lease, those in flight keep the state of the first time.
 */
export function skipped(lane: Lane, retries: Retries, { as, end, unsequenced, now }: Skip): LaneChange {
  const { settledThrough, epoch, state } = lane
  const isHeld = state === 'leased' || isStillHeld(lane, now)
  const first = lane.skipped?.epoch === epoch ? lane.skipped : { epoch, as }
  return {
    lane: {
      ...backfillCancelled(lane),
      settledThrough: end,
      head: end,
      began: end,
      skipped: isHeld ? first : undefined,
      wakeAt: state === 'idle' ? undefined : lane.wakeAt,
    },
    written: [],
    closed: [...retries.keys()],
    ended: [
      ...[...retries.values()].map(({ eventId, attempts }) => ({ eventId, state: as, attempts })),
      ...unsequenced.map((eventId) => ({ eventId, state: as, attempts: 0 })),
    ],
    endedRange: settledThrough < end ? { after: settledThrough, through: end, state: as } : undefined,
  }
}
