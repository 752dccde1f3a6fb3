/** The part of a role process's start message that is the same for all contenders. */
export interface RoleOrder {
  readonly url: string
  readonly ca: string
  readonly targets: readonly string[]
}

/** Publishes the `n`th event, and returns the `webhook-id` of the request that will deliver it. */
export type Publisher = (n: number) => Promise<string>

/**
 * Runs `take` and records how many milliseconds it took. `step` gets the result of `take`, and returns the name under
 * which the time is recorded.
 */
export type Timed = <Result>(step: (result: Result) => string, take: () => Promise<Result>) => Promise<Result>

/** The two processes of a contender. */
export interface Roles {
  work(order: RoleOrder, timed: Timed): Promise<void>
  publisher(order: RoleOrder): Promise<Publisher>
}
