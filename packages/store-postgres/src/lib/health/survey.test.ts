import type { Finding } from '@callboard/core/store'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore, grantsSql, migrate, readMigrations } from '../../index.ts'

const LATELY_MS = 1_000
const ROLES = { publisher: 'survey_publisher', api: 'survey_api', worker: 'survey_worker' } as const

let server: TestPostgres
const pools: Pool[] = []
let migratedUrl: string

function open(connectionString: string, options?: string): Pool {
  const pool = new Pool({ connectionString, options })
  pool.on('error', () => undefined)
  pools.push(pool)
  return pool
}

async function migrated(): Promise<string> {
  const url = await server.createDatabase()
  const client = await open(url).connect()
  await migrate(client)
  client.release()
  return url
}

beforeAll(async () => {
  server = await startPostgres()
  migratedUrl = await migrated()
  const owner = open(migratedUrl)
  for (const role of [...Object.values(ROLES), 'survey_nobody'])
    await owner.query(
      `do $$ begin create role ${role} login password 'x'; exception when duplicate_object then null; end $$`,
    )
  await owner.query(grantsSql(ROLES))
})

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await server.stop()
})

const surveyOf = (pool: Pool) => createPostgresStore({ pool }).survey(LATELY_MS)
async function findingsOf(pool: Pool): Promise<Record<string, Finding>> {
  const { findings } = await surveyOf(pool)
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]))
}

function asRole(role: string): Pool {
  const url = new URL(migratedUrl)
  url.username = role
  url.password = 'x'
  return open(url.href)
}

describe('the survey of a database', () => {
  it('says which database it is and where, without a user or a password', async () => {
    const findings = await findingsOf(asRole(ROLES.worker))
    const database = new URL(migratedUrl).pathname.slice(1)
    expect(findings['database']).toEqual({
      check: 'database',
      verdict: 'ok',
      message: expect.stringMatching(
        new RegExp(`^PostgreSQL \\d+\\.\\d+.*, database ${database} at 127\\.0\\.0\\.1:\\d+, schema callboard$`),
      ),
    })
    expect(JSON.stringify(findings)).not.toContain(ROLES.worker)
  })

  it('warns that a crash can lose events if commits do not wait for the disk', async () => {
    expect(await findingsOf(open(migratedUrl, '-c synchronous_commit=off'))).toMatchObject({
      replication: { verdict: 'warning', message: 'synchronous_commit is off' },
    })
  })

  it('names a transaction that has been open for minutes, and says how to end it', async () => {
    const url = await migrated()
    const held = await open(url, '-c application_name=shop').connect()
    await held.query('begin; update callboard.retention set next_at = next_at')
    expect(await findingsOf(open(url))).not.toHaveProperty('transactions')
    // The same view, as it will be in ten minutes.
    await open(url).query(`create schema later; create view later.pg_stat_activity as
      select datname, backend_type, pid, state, application_name, xact_start - interval '10 min' as xact_start
      from pg_catalog.pg_stat_activity`)
    const { transactions } = await findingsOf(open(url, '-c search_path=later,pg_catalog'))
    const { rows } = await held.query('select pg_backend_pid() as pid')
    expect(transactions).toMatchObject({
      verdict: 'warning',
      message: `a transaction of shop has been open for 10 min (pid ${rows[0].pid}, idle in transaction)`,
      advice: expect.stringContaining(`pg_terminate_backend(${rows[0].pid})`),
    })
    const waiting = open(url).query('update callboard.retention set next_at = next_at')
    await expect
      .poll(async () => (await findingsOf(open(url, '-c search_path=later,pg_catalog')))['transactions']?.message)
      .toBe(
        `a transaction of shop has been open for 10 min (pid ${rows[0].pid}, idle in transaction); 1 session waits for it`,
      )
    await held.query('rollback')
    held.release()
    await waiting
  })

  it('reports that nothing is migrated, while `ready` throws', async () => {
    const pool = await server.createPool()
    expect(await surveyOf(pool)).toEqual({
      findings: [
        expect.objectContaining({ check: 'database', verdict: 'ok' }),
        expect.objectContaining({ check: 'replication', verdict: 'ok' }),
        {
          check: 'migrations',
          verdict: 'problem',
          message: 'none has been applied',
          advice: expect.stringContaining('callboard migrate'),
        },
      ],
      work: undefined,
    })
  })

  it('names pending migrations, and those that a newer version has applied', async () => {
    const pool = open(await migrated())
    const last = (await readMigrations()).at(-1)!.name
    await pool.query(`insert into callboard.migrations (name) values ('9999-next.sql')`)
    const newer = await surveyOf(pool)
    expect(newer.findings).toContainEqual(
      expect.objectContaining({
        check: 'migrations',
        verdict: 'warning',
        message: expect.stringContaining('9999-next.sql'),
      }),
    )
    expect(newer.work).toBeDefined()
    await pool.query(`delete from callboard.migrations where name = $1`, [last])
    expect((await findingsOf(pool))['migrations']).toMatchObject({ verdict: 'problem', message: `pending: ${last}` })
  })

  it.each([
    ['publisher', 'skipped', false],
    ['api', 'ok', true],
    ['worker', 'ok', true],
  ] as const)(
    'says that a role may act as %s, and surveys the waiting work if the role may read it',
    async (part, migrations, reads) => {
      const pool = asRole(ROLES[part])
      const { work } = await surveyOf(pool)
      const findings = await findingsOf(pool)
      expect(findings['rights']).toEqual({
        check: 'rights',
        verdict: 'ok',
        message: `this role may act as ${part}`,
      })
      expect(findings['migrations']).toMatchObject({ verdict: migrations })
      expect(work !== undefined).toBe(reads)
    },
  )

  it('names a right that a role lacks for each part of Callboard, and says how to grant it', async () => {
    const { rights, migrations } = await findingsOf(asRole('survey_nobody'))
    expect(migrations).toMatchObject({ verdict: 'skipped' })
    expect(rights).toMatchObject({
      verdict: 'problem',
      message: expect.stringMatching(
        /publisher lacks select on accounts and 8 more; api lacks .+; worker lacks .+; provisioner lacks .+ more$/,
      ),
      advice: expect.stringContaining('grantsSql()'),
    })
    await open(migratedUrl).query(
      `grant usage on schema callboard to survey_nobody; grant select on callboard.accounts to survey_nobody`,
    )
    expect((await findingsOf(asRole('survey_nobody')))['rights']?.message).toContain(
      'publisher lacks insert on accounts',
    )
  })

  it('recognises a right to a single column', async () => {
    const owner = open(migratedUrl)
    await owner.query(`revoke update on callboard.attempts from ${ROLES.worker}`)
    await owner.query(`revoke update (response) on callboard.attempts from ${ROLES.worker}`)
    expect((await findingsOf(asRole(ROLES.worker)))['rights']?.message).toContain(
      'worker lacks update (response) on attempts',
    )
    await owner.query(grantsSql(ROLES))
    expect((await findingsOf(asRole(ROLES.worker)))['rights']).toMatchObject({ verdict: 'ok' })
  })

  it('reports a database that is read-only, and a default isolation that is too strict', async () => {
    const findings = await findingsOf(
      open(migratedUrl, '-c default_transaction_read_only=on -c default_transaction_isolation=serializable'),
    )
    expect(findings['database']).toMatchObject({
      verdict: 'problem',
      message: expect.stringMatching(/it is read-only$/),
    })
    expect(findings['isolation']).toMatchObject({ verdict: 'problem', message: 'transactions default to serializable' })
  })

  it('throws UNAVAILABLE for a database that cannot be reached', async () => {
    const pool = new Pool({ connectionString: 'postgres://u:hunter2@127.0.0.1:1/x' })
    await expect(surveyOf(pool)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await pool.end()
  })
})
