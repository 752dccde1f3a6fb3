/** A page in one row: a text for each column, with a line for each event, newest first; null when there is none. */
export interface EventPageRow {
  ids: string | null
  types: string | null
  /** Milliseconds since the epoch. */
  occurred: string | null
  bodies: string | null
  /** An empty line where an event has none; null for a reader who may not see personal data. */
  patches: string | null
  fingerprints: string | null
}

/**
 * The events of a reader's page, one more than fits included, as a select to be joined `lateral`. `from` is a row with the
 * columns `account_id`, `mode`, `after_at`, `after_id` and `oldest`.
 *
 * One row of lines, not a row for each event: 26 rows of 1 KB took 120 to 127 µs of Node, as one row 64; the server takes the same.
 * JSON texts have no line breaks of their own.
 */
export function eventPage(read: {
  readonly from: string
  readonly limit: string
  readonly personalData: string
  readonly filter: string
}): string {
  const { from, limit, personalData, filter } = read
  const lines = (value: string, name: string): string => `string_agg(${value}, E'\\n') as ${name}`
  return `
  select ${lines('e.id::text', 'ids')}, ${lines('e.type', 'types')}, ${lines('e.occurred', 'occurred')},
    ${lines('e.body', 'bodies')}, ${lines('e.patch', 'patches')}, ${lines('e.fingerprint', 'fingerprints')}
  from (
    select e.id, e.type, (date_part('epoch', e.occurred_at) * 1000)::text as occurred, e.body,
      case when ${personalData} then coalesce(e.patch, '') end as patch, e.fingerprint
    from callboard.events e
    where e.account_id = ${from}.account_id and e.mode = ${from}.mode
      and (e.occurred_at, e.id) < (${from}.after_at, ${from}.after_id) and e.published_at >= ${from}.oldest and ${filter}
    order by e.occurred_at desc, e.id desc limit (select ${limit}::int)
  ) e`
}

/**
 * Of one type. Said twice: where the planner thinks that an account has few types, equality narrows nothing down for it, and it may read all
 * events for those of a rare type (0.8 s of five million); of a range it expects few rows, and takes the index by type. That
 * looks up by equality alone.
 */
export function ofType(type: string): string {
  return `e.type = ${type} and e.type between ${type} and ${type}`
}
