import type { SubscriptionRef } from './subscription-store.ts'

/** A lane that has work due, or whose lease has expired. */
export interface DueLane extends SubscriptionRef {
  /** Name and port of the target, as in `URL.host`. */
  readonly host: string
  /** Whether the lane's last visit found its target slow or failing. */
  readonly slow: boolean
  /** Since when the lane has been due, in milliseconds since 1970 by the store's clock. */
  readonly dueAt: number
  /** The lane's epoch when it was found. It lets the store find the lane again; the lane may have changed since. */
  readonly epoch: number
}

/** How far a search for due lanes has got. Only the store that returned it can read it. */
export interface DuePosition {
  /** When the search began, in milliseconds since 1970 by the store's clock. */
  readonly since: number
  /** The last lane found; undefined once the search has found all. */
  readonly last: { readonly dueAt: string; readonly id: string } | undefined
}

export interface DueRequest {
  /** The most lanes to return. */
  readonly limit: number
  /**
   * How far the search has got. If it has found all, only lanes that became due since it began are found. Undefined
   * begins a search for all due lanes.
   */
  readonly after: DuePosition | undefined
}

export interface DueLanes {
  /** Those that have been due longest first. */
  readonly lanes: readonly DueLane[]
  readonly position: DuePosition
  /** Whether the search has not found all lanes yet. */
  readonly rest: boolean
}
