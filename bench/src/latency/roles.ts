/** The part of a role process's start message that is the same for all contenders. */
export interface RoleOrder {
  readonly url: string
  /** PEM of the certificates to trust. */
  readonly ca: string
  readonly targets: readonly string[]
}

/** Publishes the `n`th event, and returns the `webhook-id` of the request that will deliver it. */
export type Publisher = (n: number) => Promise<string>

/** The two processes of a contender. */
export interface Roles {
  work(order: RoleOrder): Promise<void>
  publisher(order: RoleOrder): Publisher
}
