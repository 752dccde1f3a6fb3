import type { SubscriptionRef } from './subscription-record.ts'

/** A lane that has work due, or whose lease has expired. */
export interface DueLane extends SubscriptionRef {
  /** Of an imported subscription, the store may give an id of its own instead: see `LaneLease.laneId`. */
  readonly id: string
  /** Name and port of the target, as `targetHost` returns it. */
  readonly host: string
  /** Whether the target was slow or failing at the last attempt; false before the first attempt. */
  readonly slow: boolean
  /** Whether an event that was never attempted waits in the lane; false by default. */
  readonly hasNew?: boolean | undefined
  /** When the lane became due, in milliseconds since 1970 by the store's clock. */
  readonly dueAt: number
  /** The lane's epoch when it was found. It lets the store find the lane again; the lane may have changed since. */
  readonly epoch: number
}

/** How far a search for due lanes has got. Only the store that returned the place can interpret it. */
export interface DuePlace {
  /** When the search began, in milliseconds since 1970 by the store's clock. */
  readonly since: number
  /** The last lane found; undefined once the search has found all due lanes. */
  readonly last: { readonly dueAt: string; readonly id: string } | undefined
}

export interface DueRequest {
  /** The most lanes to return. */
  readonly limit: number
  /**
   * The place from which to continue: the one that the previous call returned. Undefined starts a search for all due
   * lanes. If the previous search had found all due lanes, this call starts a search for lanes that became due since
   * `after.since`.
   */
  readonly after: DuePlace | undefined
}

export interface DueLanes {
  /** The lanes found, in order of `dueAt`. */
  readonly lanes: readonly DueLane[]
  readonly place: DuePlace
  /** Whether there may be more due lanes that the search has not found yet. */
  readonly rest: boolean
}
