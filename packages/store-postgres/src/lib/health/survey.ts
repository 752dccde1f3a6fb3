import { type Finding, readWorkerReport, type StoreSurvey, type WorkSurvey } from '@callboard/core/store'
import type { Database } from '../database/database.ts'
import { isDiskFull } from '../database/failures.ts'
import { OLDEST_VERSION } from '../database/supported-server.ts'
import { judgeReplica } from '../replica/judge-replica.ts'
import type { Replica } from '../replica/replica.ts'
import { GRANTS, PARTS, type Part } from '../schema/grants.ts'
import { laterMigrations, missingMigrations } from '../schema/missing-migrations.ts'
import { dateOf } from '../sql/row-values.ts'
import {
  littleMemory,
  type ServerRow,
  surveyDisabled,
  surveyLanes,
  surveyMigrations,
  surveyRights,
  surveyServer,
  surveySpace,
  surveyTransactions,
  surveyWorkers,
} from './survey-statements.ts'

/**
 * Runs the checks one after the other. A check is left out if it needs something that an earlier check found missing.
 */
export async function surveyDatabase(
  database: Database,
  replica: Pick<Replica, 'readState' | 'maxLagMs'> | undefined,
  schema: string,
  latelyMs: number,
): Promise<StoreSurvey> {
  const [server] = await database.run(surveyServer, { schema })
  if (server === undefined) throw new Error('the database returned no row')
  const migrations = await judgeMigrations(database, server)
  const findings = [
    judgeServer(server, schema),
    ...judgeReplication(server),
    ...(replica === undefined ? [] : [judgeReplica(await replica.readState(), replica.maxLagMs)]),
    ...judgePooler(database),
    ...judgeIsolation(server),
    ...(migrations.verdict === 'problem' ? [] : await judgeSpace(database, schema)),
    ...(await judgeTransactions(database)),
    migrations,
  ]
  if (migrations.verdict === 'problem') return { findings, work: undefined }
  const { finding, parts } = await judgeRights(database, schema)
  const readsWork = parts.includes('api') || parts.includes('worker')
  return { findings: [...findings, finding], work: readsWork ? await readWork(database, latelyMs) : undefined }
}

function judgeServer({ version, major, database, host, port, read_only }: ServerRow, schema: string): Finding {
  const place = host === null ? '' : ` at ${host}${port === null ? '' : `:${port}`}`
  const message = `PostgreSQL ${version}, database ${database}${place}, schema ${schema}`
  if (major < OLDEST_VERSION)
    return { check: 'database', verdict: 'problem', message, advice: `Use PostgreSQL ${OLDEST_VERSION} or later.` }
  if (read_only)
    return {
      check: 'database',
      verdict: 'problem',
      message: `${message}: it is read-only`,
      advice: 'Connect to the primary, with a role whose default_transaction_read_only is off.',
    }
  return { check: 'database', verdict: 'ok', message }
}

/**
 * Says what a crash or a failover can lose. Says nothing about a read-only server, because `judgeServer` reports that
 * already.
 */
function judgeReplication({ read_only, standbys, synchronous_commit, synchronous_standbys }: ServerRow): Finding[] {
  if (read_only) return []
  const check = 'replication'
  if (['off', 'local'].includes(synchronous_commit)) {
    const message = `synchronous_commit is ${synchronous_commit}`
    const advice = 'A crash or a failover can lose events whose publish has succeeded. Set it to on for this role.'
    return [{ check, verdict: 'warning', message, advice }]
  }
  if (synchronous_standbys !== '')
    return [{ check, verdict: 'ok', message: `synchronous, to ${synchronous_standbys}; ${standbys} connected` }]
  if (standbys === 0) return [{ check, verdict: 'ok', message: 'no standby is connected' }]
  const message = `${standbys} connected, asynchronous`
  const advice = 'A failover can lose events whose publish has succeeded. See docs/high-availability.md.'
  return [{ check, verdict: 'warning', message, advice }]
}

function judgePooler(database: Database): Finding[] {
  if (!database.isPooled()) return []
  const message =
    'connections lead through a pooler; by default, statements are then not prepared and workers poll for events'
  return [{ check: 'pooler', verdict: 'ok', message }]
}

function judgeIsolation({ isolation }: ServerRow): Finding[] {
  if (isolation === 'read committed') return []
  const message = `transactions default to ${isolation}`
  const advice =
    "Callboard needs READ COMMITTED. Make it the role's default_transaction_isolation, or pass a pool that sets it."
  return [{ check: 'isolation', verdict: 'problem', message, advice }]
}

/** Finds a full disk before a publish does. */
async function judgeSpace(database: Database, schema: string): Promise<Finding[]> {
  try {
    await database.transaction(async (tx) => {
      await tx.run(littleMemory, { schema })
      await tx.run(surveySpace, {})
    })
    return []
  } catch (error) {
    if (!isDiskFull(error)) throw error
    const message = 'the disk of the database is full: nothing can be published, and no attempt can be recorded'
    const advice =
      'Free some space: enlarge the volume, or remove old logs and files. Workers and publishers then continue by ' +
      'themselves. Shorter retention (docs/retention-and-erasure.md) helps only later.'
    return [{ check: 'space', verdict: 'problem', message, advice }]
  }
}

/** A transaction that is open for longer than this is probably forgotten. */
const LONG_MS = 60_000
/** A transaction that others wait for is reported after this time. */
const BLOCKING_MS = 10_000

async function judgeTransactions(database: Database): Promise<Finding[]> {
  const [oldest] = await database.run(surveyTransactions, {})
  if (oldest === undefined || oldest.ms < (oldest.waiting > 0 ? BLOCKING_MS : LONG_MS)) return []
  const { pid, state, application, ms, waiting } = oldest
  const age = ms < LONG_MS ? `${Math.floor(ms / 1_000)} s` : `${Math.floor(ms / 60_000)} min`
  const blocked = waiting === 0 ? '' : `; ${waiting === 1 ? '1 session waits' : `${waiting} sessions wait`} for it`
  const who = application === '' ? '' : ` of ${application}`
  const message = `a transaction${who} has been open for ${age} (pid ${pid}, ${state})${blocked}`
  const advice =
    'Events that it publishes are delivered once it commits. Until then, others that publish for the same subject wait, ' +
    `and dead rows are kept. If it is forgotten, end it: select pg_terminate_backend(${pid}).`
  return [{ check: 'transactions', verdict: 'warning', message, advice }]
}

async function judgeMigrations(database: Database, { migrated, readable }: ServerRow): Promise<Finding> {
  const check = 'migrations'
  if (!migrated)
    return {
      check,
      verdict: 'problem',
      message: 'none has been applied',
      advice:
        'Run `callboard migrate` as the owner of the schema, or check that this is the right database and schema.',
    }
  if (!readable)
    return {
      check,
      verdict: 'skipped',
      message: 'this role may not read the table migrations; a role that only publishes does not need to',
    }
  const applied = (await database.run(surveyMigrations, {})).map(({ name }) => name)
  const pending = missingMigrations(applied)
  if (pending.length > 0)
    return {
      check,
      verdict: 'problem',
      message: `pending: ${pending.join(', ')}`,
      advice:
        'Run `callboard migrate` before this version starts. The previous version keeps working on the new schema.',
    }
  const later = laterMigrations(applied)
  if (later.length > 0)
    return {
      check,
      verdict: 'warning',
      message: `this version does not know ${later.join(', ')}: a newer version has migrated`,
      advice: 'It keeps working for now. Update this process to the version that migrated.',
    }
  return { check, verdict: 'ok', message: `${applied.length} applied, none pending` }
}

/** The rights that each of {@link PARTS} needs, one entry per right. `update (patch)` is a right to a single column. */
const RIGHTS = PARTS.flatMap((part) =>
  Object.entries(GRANTS[part]).flatMap(([table, rights]) =>
    rights.split(', ').map((right) => {
      const [, privilege = '', column = ''] = /^(\w+)(?: \((\w+)\))?$/.exec(right) ?? []
      return { part, table, right, privilege, column }
    }),
  ),
)

/**
 * Returns the parts of Callboard whose work this role may do. If there are none, the finding says which rights it
 * lacks.
 */
async function judgeRights(
  database: Database,
  schema: string,
): Promise<{ readonly finding: Finding; readonly parts: readonly Part[] }> {
  const rights = RIGHTS.map(({ table, privilege, column }) => ({ relation: table, privilege, col: column }))
  const rows = await database.run(surveyRights, { schema, rights })
  const lacking = new Set(rows.map(({ n }) => RIGHTS[n - 1]))
  const lackedBy = (part: Part) => [...lacking].filter((right) => right?.part === part)
  const parts = PARTS.filter((part) => lackedBy(part).length === 0)
  if (parts.length > 0)
    return { finding: { check: 'rights', verdict: 'ok', message: `this role may act as ${parts.join(', ')}` }, parts }
  const lacks = PARTS.map((part) => {
    const [first, ...others] = lackedBy(part).map((right) => `${right?.right} on ${right?.table}`)
    return `${part} lacks ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`
  })
  const message = `this role lacks rights that each part of Callboard needs: ${lacks.join('; ')}`
  const advice = 'Run the SQL that grantsSql() returns, as the owner of the schema.'
  return { finding: { check: 'rights', verdict: 'problem', message, advice }, parts }
}

async function readWork(database: Database, latelyMs: number): Promise<WorkSurvey> {
  const [lanes] = await database.run(surveyLanes, {})
  if (lanes === undefined) throw new Error('the database returned no row')
  const workers = await database.run(surveyWorkers, {})
  const attending = workers.filter(({ attends }) => attends)
  const silent = attending.length > 0 ? [] : workers.toSorted((a, b) => b.last_at - a.last_at)
  const disabled = await database.run(surveyDisabled, { latelyMs })
  return {
    clock: new Date(lanes.clock),
    lapsed: { lanes: lanes.lapsed, longestMs: lanes.lapsed_ms ?? 0 },
    due: { lanes: lanes.due, longestMs: lanes.due_ms ?? 0 },
    pausedLanes: lanes.paused,
    workers: attending.map(({ name, since, last_at, details }) => ({
      name,
      since: dateOf(since),
      lastAt: dateOf(last_at),
      report: readWorkerReport(details),
    })),
    lost: silent.map(({ name, last_at }) => ({ name, lastAt: dateOf(last_at) })),
    disabled: disabled.map(({ reason, n }) => ({ reason, subscriptions: n })),
  }
}
