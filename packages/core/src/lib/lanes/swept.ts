import type { Ordering } from '../ports/subscription-record.ts'
import { freed } from './freed.ts'
import { type Lane, nextWork, type Retries } from './lane.ts'
import { changeOf, changing, type LaneChange } from './lane-change.ts'

/** Repairs a lane whose wake-up was lost, or whose deliveries wait for one that no longer exists. */
export function swept(lane: Lane, before: Retries, ordering: Ordering, now: number): LaneChange {
  if (lane.state !== 'idle') return changeOf(lane)
  const retries = changing(before)
  const subjects = [...before.values()].flatMap(({ subject, manual }) => (manual ? [] : (subject ?? [])))
  const wakeAt = lane.wakeAt ?? nextWork(lane, before.values(), now)
  const awake = wakeAt === lane.wakeAt ? lane : { ...lane, wakeAt }
  return changeOf(freed(awake, retries, { subjects, ordering, now }), retries)
}
