import { indented } from '../sql/indented.ts'
import { rowByKey } from '../sql/row-by-key.ts'

const KEY = { account_id: 'p_account_id', mode: 'p_mode', type: 't.type', subscription_id: 'p_id' }

/**
 * PL/pgSQL that removes a subscription's rows of these types from `subscription_types`, so that sequencing no longer
 * finds it by them. Looks up each row by its key: with a plain delete by key, the planner skips the type while the
 * table is small, and before Postgres 18 that reads the rows of all the account's subscriptions.
 *
 * @param types SQL for an array of types.
 */
export function removeTypes(types: string): string {
  return `delete from callboard.subscription_types where ctid = any (array(
  select x.row_id from unnest(${types}) t(type)
  cross join lateral ${indented(2, rowByKey('subscription_types', KEY))} x
))`
}
