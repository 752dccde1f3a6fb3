import type { Statement } from '../sql/statement.ts'

/** How far the primary's write-ahead log had got at one moment, and which server it is. */
export interface WalPosition {
  /**
   * The position up to which the primary's log is on its disk. Unless `synchronous_commit` is off, a commit becomes
   * visible only once it is on the disk, so a replica that has replayed the log up to here shows all visible commits.
   */
  readonly lsn: string
  readonly timeline: number
  /** When the server was started, in seconds since 1970. */
  readonly started: string
  /** The system identifier, which a primary and its replicas share, and the name of the database. */
  readonly identity: string
  /** The primary's clock, in seconds since 1970. */
  readonly clock: number
}

const STARTED = 'extract(epoch from pg_postmaster_start_time())::text'
const IDENTITY = `(select system_identifier from pg_control_system()) || '/' || current_database()`

export const readWalPosition: Statement<WalPosition> = {
  name: 'read-wal-position',
  text: `
select flushed.lsn::text as lsn, ('x' || left(pg_walfile_name(flushed.lsn), 8))::bit(32)::int as timeline,
  ${STARTED} as started, ${IDENTITY} as identity, extract(epoch from clock_timestamp())::float8 as clock
from (select pg_current_wal_flush_lsn() as lsn) flushed`,
}

/**
 * SQL for a replica's timeline: the higher of the one that is being streamed, which only a role with
 * `pg_read_all_stats` sees, and the one in the control file. After a failover, the control file has an older timeline
 * until the replica's next restartpoint.
 */
const TIMELINE = `greatest(
  (select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint())
)`

const IS_SAME_SERVER = `${STARTED} = :primary.started`

/**
 * SQL that tests whether this server has replayed the primary's log up to its position, or is that primary. A position
 * in the log of another system or timeline proves nothing.
 */
const HAS_REPLAYED = `
  select ${IDENTITY} = :primary.identity and case
    when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= :primary.lsn::pg_lsn and ${TIMELINE} = :primary.timeline
    else ${IS_SAME_SERVER}
  end`

export type OnReplica<Parameters extends object> = Parameters & { readonly primary: WalPosition }

const known = new WeakMap<object, Statement<unknown, OnReplica<object>>>()

/**
 * Returns a variant of the statement for replicas, which returns no row if the replica has not replayed the log up to
 * the position. Every run checks this, because an address may lead to several replicas; the check costs about 25
 * microseconds. The page's snapshot is a little older than the check, as if the page had been read a moment earlier.
 */
export function onReplica<Row, Parameters extends object>(
  statement: Statement<Row, Parameters>,
): Statement<Row, OnReplica<Parameters>> {
  const { name, text, types: _, ...limits } = statement
  const guarded = known.get(statement) ?? {
    ...limits,
    name: `${name}-on-replica`,
    text: `select answer.* from (${text}) answer where (${HAS_REPLAYED})`,
  }
  known.set(statement, guarded)
  return guarded as Statement<Row, OnReplica<Parameters>>
}

export interface ReplicaRow {
  identity: string
  in_recovery: boolean
  same_server: boolean
  timeline: number
  replayed: boolean
  /** How old the last replayed commit is by the primary's clock; null if there was none since the replica started. */
  commit_age_ms: number | null
}

/** Compares a server with the primary. */
export const lookAtReplica: Statement<ReplicaRow, { readonly primary: WalPosition }> = {
  name: 'look-at-replica',
  text: `
select ${IDENTITY} as identity, pg_is_in_recovery() as in_recovery, ${IS_SAME_SERVER} as same_server,
  ${TIMELINE} as timeline, coalesce(pg_last_wal_replay_lsn() >= :primary.lsn::pg_lsn, false) as replayed,
  (:primary.clock::float8 - extract(epoch from pg_last_xact_replay_timestamp())::float8) * 1000 as commit_age_ms`,
}
