import type { Ordering } from '../ports/subscription-record.ts'
import { woken } from './freed.ts'
import type { Lane, Retries } from './lane.ts'
import { changeOf, changing, type LaneChange } from './lane-change.ts'

/** The lane after its subscription got another order. Without an order, deliveries wait for no others. */
export function reordered(lane: Lane, retries: Retries, ordering: Ordering, now: number): LaneChange {
  const waiting = ordering === 'none' ? [...retries.values()].filter(({ dueAt }) => dueAt === undefined) : []
  if (waiting.length === 0) return changeOf(lane)
  const changed = changing(retries)
  for (const retry of waiting) changed.write({ ...retry, dueAt: now })
  return changeOf({ ...woken(lane, now), nudged: lane.nudged || lane.state === 'leased' }, changed)
}
