/**
 * One SQL statement. It names the schema `callboard`, which the store replaces with the name of its own schema. Values
 * come back as text, float8, boolean, or arrays of text or int, so that type parsers set by the platform do not change
 * them.
 *
 * @typeParam Row a row of the result.
 * @typeParam Parameters the values that {@link Statement.text} names.
 */
export interface Statement<Row, Parameters extends object = Record<never, never>> {
  /** Short and unique; part of the prepared statement's name. */
  readonly name: string
  /**
   * SQL with named parameters. `:limit` is the value `limit`, `:draft.id` the `id` of the object `draft`, and
   * `:attempts.status` an array with the `status` of each object in the list `attempts` (see `rowsOf`).
   */
  readonly text: string
  /**
   * True if a customer can ask for it as often as they like, so that an account's statements of this kind may use only
   * a share of the pool. Their parameter `accountId` names the account.
   */
  readonly page?: true
  /** A time limit on the server, in milliseconds, for a run outside a transaction; by default, that of the store. */
  readonly timeoutMs?: number
  /** Carries types only; no statement sets it. */
  readonly types?: { readonly row: Row; readonly parameters: Parameters }
}

/** A page that a person looks at. It ends after 2 s, because then it reads more than any page should. */
export const PAGE = { page: true, timeoutMs: 2_000 } as const

/** An account, and the mode in which it acts. */
export interface OwnerParameters {
  readonly accountId: string
  readonly mode: string
}

/** The columns that identify a subscription, and also its lane. `id` is a UUID. */
export interface SubscriptionKey extends OwnerParameters {
  readonly id: string
}
