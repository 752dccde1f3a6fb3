/**
 * SQL of the one row at a key, to select from or to join laterally; `events` has `eventByKey`, for the same reason.
 *
 * Asked for as a place in the order of an index, which no other index and no scan of the table gives: until a table is analysed,
 * the planner takes any index that starts with the account, or none, for as good. `last` gives the last of the rows whose
 * key starts with these values, by the column that it names.
 */
export function rowByKey(table: string, key: Readonly<Record<string, string>>, last?: string): string {
  const columns = Object.keys(key)
  const is = Object.entries(key).map(([column, value]) => `at.${column} = ${value}`)
  const names = last === undefined ? columns : [...columns, last]
  const values = last === undefined ? Object.values(key) : [...Object.values(key), `'${LAST_UUID}'::uuid`]
  const order = names.map((column) => `x.${column}${last === undefined ? '' : ' desc'}`)
  return `(
  select at.* from (
    select x.* from callboard.${table} x
    where (${names.map((column) => `x.${column}`).join(', ')}) ${last === undefined ? '>=' : '<='} (${values.join(', ')}) order by ${order.join(', ')} limit 1
  ) at
  where ${is.join(' and ')}
)`
}

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
