/** What a process of either contender is told. */
export interface RoleOrder {
  readonly url: string
  readonly ca: string
  readonly targets: readonly string[]
}

/** Publishes the event of this number and returns the `webhook-id` under which it will arrive. */
export type Publisher = (n: number) => Promise<string>

/** Takes a step and keeps how long it took, in milliseconds, under a name. */
export type Timed = <Result>(step: (result: Result) => string, take: () => Promise<Result>) => Promise<Result>

/** The two processes of a contender. */
export interface Roles {
  work(order: RoleOrder, timed: Timed): Promise<void>
  publisher(order: RoleOrder): Promise<Publisher>
}
