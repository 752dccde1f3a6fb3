import { LAST_ID } from './uuid-range.ts'

/** A column that orders several rows with the same key, and the column's greatest value. */
export interface Last {
  readonly column: string
  readonly greatest: string
}

/** Orders attempts by time: their ids begin with it. */
export const LAST_ATTEMPT: Last = { column: 'id', greatest: `'${LAST_ID}'::uuid` }

/**
 * SQL for the row with this key, to select from or to join laterally. Its `ctid` is available as `row_id`, because an
 * update or a delete by key has the same choice of indexes as a select. Like `eventByKey`, it selects the first row in
 * an index's order, so that the planner must use that index. Until a table is analysed, the planner may otherwise
 * choose a scan, or any index that starts with the account.
 *
 * @param last if given, the SQL selects the last of several rows with this key, in the order of `last.column`.
 */
export function rowByKey(table: string, key: Readonly<Record<string, string>>, last?: Last): string {
  const columns = [...Object.keys(key), ...(last === undefined ? [] : [last.column])].map((column) => `x.${column}`)
  const values = [...Object.values(key), ...(last === undefined ? [] : [last.greatest])]
  const is = Object.entries(key).map(([column, value]) => `at.${column} = ${value}`)
  const [compare, direction] = last === undefined ? ['>=', ''] : ['<=', ' desc']
  return `(
  select at.* from (
    select x.*, x.ctid as row_id from callboard.${table} x
    where (${columns.join(', ')}) ${compare} (${values.join(', ')})
    order by ${columns.map((column) => `${column}${direction}`).join(', ')} limit 1
  ) at
  where ${is.join(' and ')}
)`
}
