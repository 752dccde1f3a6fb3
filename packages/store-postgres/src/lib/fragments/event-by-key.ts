/**
 * SQL of the one event with this key, to select from or to join laterally; `ctid` is available as `place`.
 *
 * It asks for the first row in the primary key's order, which no other index provides. Given three equalities, the
 * planner believes that any index which starts with the account finds one row, until the table is analysed: a lease of
 * ten events then read every event of the account ten times (3,300 blocks at 10,000 events).
 */
export function eventByKey(accountId: string, mode: string, id: string): string {
  return `(
  select x.*, x.ctid as place from callboard.events x
  where x.account_id = ${accountId} and x.mode = ${mode} and x.id between ${id} and ${id}
  order by x.id limit 1
)`
}
