import { HEALTHY, type Lane, nextWork, type Retries } from './lane.ts'
import { changeOf, changing, type LaneChange } from './lane-change.ts'

/**
 * The lane after its subscription got a new target. All its work is due now, and past failures are forgotten. The epoch
 * rises, because a worker may still be sending to the old target.
 */
export function retargeted(lane: Lane, retries: Retries, now: number): LaneChange {
  const changed = changing(retries)
  for (const retry of retries.values()) if (retry.dueAt !== undefined) changed.write({ ...retry, dueAt: now })
  const isDisabled = lane.state === 'disabled'
  return changeOf(
    {
      ...lane,
      ...HEALTHY,
      state: isDisabled ? 'disabled' : 'idle',
      wakeAt: isDisabled ? undefined : nextWork(lane, changed.values(), now),
      leasedUntil: undefined,
      epoch: lane.epoch + 1,
    },
    changed,
  )
}
