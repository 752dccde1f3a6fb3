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
  /** Carries types only; no statement sets it. */
  readonly types?: { readonly row: Row; readonly parameters: Parameters }
}

/** An account, and the mode in which it acts. */
export interface OwnerParameters {
  readonly accountId: string
  readonly mode: string
}

/** The columns that identify a subscription, and also its lane. `id` is a UUID. */
export interface SubscriptionKey extends OwnerParameters {
  readonly id: string
}
