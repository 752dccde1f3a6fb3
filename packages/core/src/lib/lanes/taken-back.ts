import type { Lane } from './lane.ts'

/**
 * The lane after its lease was ended, because its worker has stopped or died, or its call failed. The lane is due. If
 * the worker stopped properly, the lease cannot have crashed it, and is not counted.
 */
export function takenBack(lane: Lane, { crashed, now }: { readonly crashed: boolean; readonly now: number }): Lane {
  const claims = crashed ? lane.claims : Math.max(lane.claims - 1, 0)
  return lane.state === 'leased'
    ? { ...lane, state: 'idle', wakeAt: now, epoch: lane.epoch + 1, claims }
    : { ...lane, leasedUntil: undefined, epoch: lane.epoch + 1 }
}
