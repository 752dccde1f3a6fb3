import { HEALTHY, isStillHeld, type Lane, type Retries } from './lane.ts'
import type { LaneChange } from './lane-change.ts'
import { type Skip, skipped } from './skipped.ts'

/**
 * The lane after its subscription was enabled. It starts with the next event: all earlier deliveries end as `disabled`.
 * A worker that still holds a lease keeps it, so that it records what it has in flight before anything else is sent.
 */
export function enabled(lane: Lane, retries: Retries, skip: Omit<Skip, 'as'>): LaneChange {
  const change = skipped(lane, retries, { ...skip, as: 'disabled' })
  const isHeld = isStillHeld(lane, skip.now)
  return {
    ...change,
    lane: {
      ...change.lane,
      ...HEALTHY,
      state: isHeld ? 'leased' : 'idle',
      wakeAt: isHeld ? lane.leasedUntil : undefined,
      leasedUntil: undefined,
      epoch: isHeld ? lane.epoch : lane.epoch + 1,
    },
  }
}
