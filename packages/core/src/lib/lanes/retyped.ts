import type { Lane } from './lane.ts'

/**
 * The lane after its subscription's event types changed at `position`, the feed's end. The lane must pass this position
 * before the types can change again, even if it gets no later event.
 */
export function retyped(lane: Lane, position: number): Lane {
  return { ...lane, settledThrough: lane.head > lane.settledThrough ? lane.settledThrough : position, head: position }
}
