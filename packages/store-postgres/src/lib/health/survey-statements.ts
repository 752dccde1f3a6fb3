import type { DisabledReason } from '@callboard/core'
import { MAJOR_VERSION } from '../database/supported-server.ts'
import { PAUSED_LANES } from '../lanes/lane-statements.ts'
import { rowsOf } from '../sql/rows-of.ts'
import type { Statement } from '../sql/statement.ts'
import { attends } from '../workers/attends.ts'

export interface ServerRow {
  version: string
  major: number
  database: string
  host: string | null
  port: number | null
  read_only: boolean
  /** How many standbys are connected. A role without further rights sees their number, but not their state. */
  standbys: number
  synchronous_commit: string
  /** The setting `synchronous_standby_names`; empty: no standby is synchronous. */
  synchronous_standbys: string
  isolation: string
  /** Whether the table `migrations` exists. */
  migrated: boolean
  /** Whether this role may read the table `migrations`. */
  readable: boolean
}

/**
 * Reads only the system catalogue, because a statement that named one of Callboard's tables would fail if that table
 * did not exist, or if the role had no right to it.
 */
export const surveyServer: Statement<ServerRow, { schema: string }> = {
  name: 'survey-server',
  text: `
select current_setting('server_version') as version, ${MAJOR_VERSION} as major,
  current_database()::text as database, host(inet_server_addr()) as host, inet_server_port() as port,
  pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
  (select count(*) from pg_stat_replication)::int as standbys,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('synchronous_standby_names') as synchronous_standbys,
  current_setting('default_transaction_isolation') as isolation, t.oid is not null as migrated,
  coalesce(has_schema_privilege(n.oid, 'usage') and has_table_privilege(t.oid, 'select'), false) as readable
from (values (:schema::text)) as asked(schema)
left join pg_namespace n on n.nspname = asked.schema
left join pg_class t on t.relnamespace = n.oid and t.relname = 'migrations'`,
}

/** The names of the applied migrations, oldest first. */
export const surveyMigrations: Statement<{ name: string }> = {
  name: 'survey-migrations',
  text: `select name from callboard.migrations order by applied_at, name`,
}

export interface OpenTransactionRow {
  pid: number
  state: string
  application: string
  ms: number
  /** How many other sessions wait for locks that this transaction holds. */
  waiting: number
}

/**
 * The oldest open transaction of another session, and the number of sessions that wait for it. A role without further
 * rights sees only its own sessions.
 */
export const surveyTransactions: Statement<OpenTransactionRow> = {
  name: 'survey-transactions',
  text: `
select pid, coalesce(state, '') as state, application_name as application,
  extract(epoch from clock_timestamp() - xact_start)::float8 * 1000 as ms,
  (select count(*)::int from pg_locks w where not w.granted and a.pid = any (pg_blocking_pids(w.pid))) as waiting
from pg_stat_activity a
where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
  and xact_start is not null
order by xact_start limit 1`,
}

/**
 * Limits the memory of {@link surveySpace} for the rest of the transaction, so that it needs a temporary file. Moves
 * temporary files to the tablespace of the events, which may be on another disk. If the role may not create files
 * there, Postgres uses the database's own tablespace.
 */
export const littleMemory: Statement<unknown, { schema: string }> = {
  name: 'little-memory',
  text: `
select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', quote_ident(t.spcname), true)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_database d on d.datname = current_database()
join pg_tablespace t on t.oid = case when c.reltablespace = 0 then d.dattablespace else c.reltablespace end
where n.nspname = :schema and c.relname = 'events'`,
}

/**
 * Tests whether the disk has space, by filling a temporary file with about 3 MB. That needs no rights, leaves nothing
 * behind, and takes some 30 ms.
 */
export const surveySpace: Statement<unknown> = {
  name: 'survey-space',
  text: `select count(*)::int as n from generate_series(1, 150000)`,
}

export interface Right {
  readonly relation: string
  readonly privilege: string
  /** The column, if the right is to a single column; otherwise empty. */
  readonly col: string
}

const RIGHTS = rowsOf<Right>('rights', { relation: 'text', privilege: 'text', col: 'text' })

/** The place, in the given list, of each right that this role lacks. */
export const surveyRights: Statement<{ n: number }, { schema: string; rights: readonly Right[] }> = {
  name: 'survey-rights',
  text: `
select rights.n::int as n
from ${RIGHTS}
left join pg_namespace s on s.nspname = :schema::text
left join pg_class t on t.relnamespace = s.oid and t.relname = rights.relation
where not coalesce(has_schema_privilege(s.oid, 'usage') and case
  when rights.col = '' then has_table_privilege(t.oid, rights.privilege)
  else has_column_privilege(t.oid, rights.col, rights.privilege)
end, false)
order by rights.n`,
}

export interface WaitingRow {
  clock: number
  lapsed: number
  lapsed_ms: number | null
  due: number
  due_ms: number | null
  paused: number
}

const longest = (filter: string): string =>
  `extract(epoch from callboard.clock() - min(wake_at) filter (where ${filter}))::float8 * 1000`

/** Counts the lanes that a worker could lease now, and the paused lanes. */
export const surveyLanes: Statement<WaitingRow> = {
  name: 'survey-lanes',
  text: `
select extract(epoch from callboard.clock())::float8 * 1000 as clock,
  count(*) filter (where state = 'leased')::int as lapsed, ${longest("state = 'leased'")} as lapsed_ms,
  count(*) filter (where state <> 'leased')::int as due, ${longest("state <> 'leased'")} as due_ms,
  ${PAUSED_LANES} as paused
from callboard.lanes where wake_at <= callboard.clock()`,
}

export interface WorkerRow {
  name: string
  since: number
  last_at: number
  details: unknown
  attends: boolean
}

/** All workers that have neither left nor been taken over, in the order in which they started. */
export const surveyWorkers: Statement<WorkerRow> = {
  name: 'survey-workers',
  text: `
select w.name, extract(epoch from w.started_at)::float8 * 1000 as since,
  extract(epoch from w.beat_at)::float8 * 1000 as last_at, w.details, ${attends('w', 'callboard.clock()')} as attends
from callboard.workers w
order by w.started_at, w.id`,
}

export const surveyDisabled: Statement<{ reason: DisabledReason; n: number }, { latelyMs: number }> = {
  name: 'survey-disabled',
  text: `
select disabled_reason as reason, count(*)::int as n from callboard.subscriptions
where state = 'disabled' and changed_at >= callboard.clock() - :latelyMs::float8 * interval '1 ms'
group by 1 order by 1`,
}
