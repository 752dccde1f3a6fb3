import { backfillCancelled } from './backfilled.ts'
import type { Lane } from './lane.ts'

/**
 * The lane after its subscription was disabled. It is due no more, and its backfill ends. A worker that holds a lease
 * can still settle what it has sent; if none does, the epoch rises, so that earlier leases cannot be settled.
 */
export function disabled(lane: Lane): Lane {
  if (lane.state === 'disabled') return lane
  const isLeased = lane.state === 'leased'
  return {
    ...backfillCancelled(lane),
    state: 'disabled',
    wakeAt: undefined,
    leasedUntil: isLeased ? lane.wakeAt : lane.leasedUntil,
    epoch: isLeased ? lane.epoch : lane.epoch + 1,
  }
}
