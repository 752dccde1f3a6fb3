/** What a process of either contender is told. */
export interface RoleOrder {
  readonly url: string
  readonly ca: string
  readonly targets: readonly string[]
}

/** Publishes the event of this number and returns the `webhook-id` under which it will arrive. */
export type Publisher = (n: number) => Promise<string>

/** The two processes of a contender. */
export interface Roles {
  work(order: RoleOrder): Promise<void>
  publisher(order: RoleOrder): Promise<Publisher>
}
