import { CallboardError } from './errors.ts'

/** Options of a call that can take part in the caller's own transaction. */
export interface InTransaction<Tx> {
  /**
   * The caller's own transaction. What the call stores is committed or rolled back together with it. Leave the options
   * out to store in a transaction of Callboard's own.
   */
  readonly tx: Tx & {}
}

/**
 * Returns `tx`; undefined if there are no options. A `tx` without a value is refused, because it may come from a
 * forgotten variable; so is an option of any other name, such as a client in place of `{ tx: client }`.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for both.
 */
export function callersTransaction<Tx>(options: InTransaction<Tx> | undefined): Tx | undefined {
  if (options === undefined) return undefined
  const { tx, ...others } = Object(options)
  const isGiven = (typeof tx === 'object' && tx !== null) || typeof tx === 'function'
  if (options === null || !isGiven || Object.keys(others).length > 0)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      'Pass { tx } with your open transaction, and no other option. To store in a transaction of its own, leave the ' +
        'options out.',
    )
  return tx
}
