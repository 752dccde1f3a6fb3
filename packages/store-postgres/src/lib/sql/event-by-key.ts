/**
 * SQL for the event with this key, to select from or to join laterally. Its `ctid` is available as `row_id`.
 *
 * Selects the first row in the order of the primary key, which no other index provides, so that the planner must use
 * the primary key. With a plain comparison, until the table is analysed, the planner believes that any index that
 * starts with the account finds a single row. A lease of ten events then read every event of the account ten times:
 * 3,300 blocks at 10,000 events.
 */
export function eventByKey(accountId: string, mode: string, id: string, lock?: 'for share skip locked'): string {
  return `(
  select x.*, x.ctid as row_id from callboard.events x
  where x.account_id = ${accountId} and x.mode = ${mode} and x.id between ${id} and ${id}
  order by x.id limit 1${lock === undefined ? '' : ` ${lock}`}
)`
}
