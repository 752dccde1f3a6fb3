/** The part of the start message that both contenders share. */
export interface RoleOrder {
  readonly url: string
  readonly ca: string
  readonly targets: readonly string[]
}

/** Publishes the `n`th event and returns the `webhook-id` under which it will arrive. */
export type Publisher = (n: number) => Promise<string>

/** Runs `take` and records how many milliseconds it took, under the name that `step` returns for its result. */
export type Timed = <Result>(step: (result: Result) => string, take: () => Promise<Result>) => Promise<Result>

/** The two processes of a contender. */
export interface Roles {
  work(order: RoleOrder, timed: Timed): Promise<void>
  publisher(order: RoleOrder): Promise<Publisher>
}
