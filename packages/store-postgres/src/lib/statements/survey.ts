import type { DisabledReason } from '@callboard/core'
import type { Statement } from './statement.ts'

export interface ServerRow {
  version: string
  version_number: number
  database: string
  host: string | null
  port: number | null
  read_only: boolean
  isolation: string
  /** Whether the table of migrations is there. */
  migrated: boolean
  /** Whether this role may read it. */
  readable: boolean
}

/** Reads the catalogue alone, which every role may: what asks for a table of ours by name throws where there is none, or no right. */
export const surveyServer: Statement<ServerRow> = {
  name: 'survey-server',
  text: `
select current_setting('server_version') as version, current_setting('server_version_num')::int as version_number,
  current_database()::text as database, host(inet_server_addr()) as host, inet_server_port() as port,
  pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
  current_setting('default_transaction_isolation') as isolation, t.oid is not null as migrated,
  coalesce(has_schema_privilege(n.oid, 'usage') and has_table_privilege(t.oid, 'select'), false) as readable
from (values ($1::text)) as asked(schema)
left join pg_namespace n on n.nspname = asked.schema
left join pg_class t on t.relnamespace = n.oid and t.relname = 'migrations'`,
}

export const surveyMigrations: Statement<{ name: string }> = {
  name: 'survey-migrations',
  text: `select name from callboard.migrations order by name`,
}

/** Of some rights those that this role lacks, by their numbers. */
export const surveyRights: Statement<{ n: number }> = {
  name: 'survey-rights',
  text: `
select r.n::int as n
from unnest($2::text[], $3::text[], $4::text[]) with ordinality as r(relation, privilege, col, n)
left join pg_namespace s on s.nspname = $1::text
left join pg_class t on t.relnamespace = s.oid and t.relname = r.relation
where not coalesce(has_schema_privilege(s.oid, 'usage') and
  case when r.col = '' then has_table_privilege(t.oid, r.privilege) else has_column_privilege(t.oid, r.col, r.privilege) end, false)
order by r.n`,
}

export interface WaitingRow {
  clock: number
  lapsed: number
  lapsed_ms: number | null
  due: number
  due_ms: number | null
}

/** Whoever looks for work takes such lanes at once, in the order of their time. */
export const surveyLanes: Statement<WaitingRow> = {
  name: 'survey-lanes',
  text: `
select extract(epoch from callboard.clock())::float8 * 1000 as clock,
  count(*) filter (where state = 'leased')::int as lapsed,
  extract(epoch from callboard.clock() - min(wake_at) filter (where state = 'leased'))::float8 * 1000 as lapsed_ms,
  count(*) filter (where state <> 'leased')::int as due,
  extract(epoch from callboard.clock() - min(wake_at) filter (where state <> 'leased'))::float8 * 1000 as due_ms
from callboard.lanes where wake_at <= callboard.clock()`,
}

export const surveyDisabled: Statement<{ reason: DisabledReason; n: number }> = {
  name: 'survey-disabled',
  text: `
select disabled_reason as reason, count(*)::int as n from callboard.subscriptions
where state = 'disabled' and changed_at >= callboard.clock() - $1::float8 * interval '1 ms' group by 1 order by 1`,
}
