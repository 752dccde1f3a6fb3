import { createCallboard, createId } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltCli, buildCli, platformFolder } from '../../../test/built-cli.ts'
import { openPlatform } from '../../../test/platform/callboard.ts'
import { publishOrder } from '../../../test/publish-order.ts'

let cli: BuiltCli
let postgres: TestPostgres

interface Platform extends ReturnType<typeof openPlatform> {
  readonly env: Readonly<Record<string, string>>
  /** Subscribes a new target to `order.paid` with a new key. */
  subscribe(callboard?: Platform['callboard']): Promise<void>
}
const pools: Platform['pool'][] = []

async function migratedPlatform(): Promise<Platform> {
  // NODE_EXTRA_CA_CERTS is cleared, because it might be set on the machine that runs the tests.
  const env = { DATABASE_URL: await postgres.createDatabase(), NODE_EXTRA_CA_CERTS: '' }
  const platform = openPlatform(env.DATABASE_URL)
  platform.pool.on('error', () => undefined)
  pools.push(platform.pool)
  await cli.run('migrate', { env })
  await platform.callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  return {
    ...platform,
    env,
    async subscribe(callboard = platform.callboard) {
      const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'Zapier', scopes: ['webhooks.write'] })
      const admission = await engineOf(callboard).admissions.admit(`Bearer ${token}`)
      if (admission.outcome !== 'admitted') throw new Error('not admitted')
      const targetUrl = `https://localhost/${createId('req')}`
      await engineOf(callboard).apiSubscriptions.create(admission.caller, {
        targetUrl,
        eventTypes: ['order.paid'],
        integration: 'other',
      })
    },
  }
}

function diagnose(env: Readonly<Record<string, string>>, folder?: string) {
  return cli.run('doctor --json', { env, ...(folder === undefined ? {} : { folder }) })
}

interface Diagnosis {
  ok: boolean
  findings: { check: string; verdict: string; message: string; advice: string | null }[]
}
const findingsOf = ({ stdout }: { stdout: string }) => {
  const { findings }: Diagnosis = JSON.parse(stdout)
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]))
}

/** Moves the database's clock forward. */
async function advance({ pool }: Platform, interval: string): Promise<void> {
  await pool.query(
    `create or replace function callboard.clock() returns timestamptz language plpgsql stable as $$ begin return clock_timestamp() + interval '${interval}'; end $$`,
  )
}

beforeAll(async () => {
  ;[cli, postgres] = await Promise.all([buildCli(), startPostgres()])
})

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await Promise.all([cli.remove(), postgres.stop()])
})

describe('callboard doctor', () => {
  it('finds nothing wrong with a healthy platform, and exits with 0', async () => {
    const platform = await migratedPlatform()
    await platform.subscribe()
    const { code, stdout, stderr } = await cli.run('doctor', { env: platform.env, folder: platformFolder })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const early = ['runtime', 'pinning', 'tls', 'database', 'replication', 'migrations', 'rights', 'clock']
    const checks = [...early, 'outbox', 'workers', 'attendance', 'turns']
    expect(stdout.split('\n').map((line) => line.replace(/ {2,}.*/, ''))).toEqual([
      ...Array.from({ length: checks.length + 5 }, () => 'ok'),
      '',
    ])
    for (const check of [...checks, 'subscriptions', 'deliveries', 'secrets', 'catalogue', 'versions'])
      expect(stdout).toContain(` ${check} `)
    expect(stdout).toContain('secretKeys open every signing secret in a sample of 1')
  })

  it('runs without a config module, and says what it could not check', async () => {
    const run = await diagnose((await migratedPlatform()).env)
    expect(run.code).toBe(0)
    expect(findingsOf(run)['secrets']).toMatchObject({ verdict: 'skipped', message: expect.stringContaining('config') })
  })

  it('says what to do about a database that is not migrated, and exits with 1', async () => {
    const run = await diagnose({ DATABASE_URL: await postgres.createDatabase() }, platformFolder)
    expect(run.code).toBe(1)
    expect(findingsOf(run)['migrations']).toMatchObject({
      verdict: 'problem',
      advice: expect.stringContaining('callboard migrate'),
    })
  })

  it('reports a database that is unreachable or refuses the connection, and never prints the password', async () => {
    const away = await cli.run('doctor', { env: { DATABASE_URL: 'postgres://shop:hunter2@127.0.0.1:1/shop' } })
    expect(away).toMatchObject({ code: 1, stderr: 'error: This check found a problem: database.\n' })
    expect(away.stdout).toMatch(/^problem {2}database .+ECONNREFUSED/m)
    const refusing = new URL(await postgres.createDatabase())
    refusing.pathname = '/nowhere'
    const refused = await diagnose({ DATABASE_URL: refusing.href })
    expect(refused.code).toBe(1)
    expect(findingsOf(refused)['database']).toMatchObject({ verdict: 'problem' })
    for (const { stdout, stderr } of [away, refused])
      expect(stdout + stderr).not.toMatch(/hunter2|postgres:\/\/\w+:|\n\s+at /)
  })

  it('reports clocks that differ, waiting events, overdue work and expired leases', async () => {
    const platform = await migratedPlatform()
    const { callboard } = platform
    await platform.subscribe()
    await platform.subscribe()
    await publishOrder(callboard)
    const { deliveries } = engineOf(callboard).store
    await deliveries.sequence(10)
    const due = await deliveries.due({ limit: 1, after: undefined })
    const lanes = due.lanes.map((lane) => ({ ...lane, room: 1 }))
    await deliveries.lease({ worker: 'w', call: 1, lanes, leaseMs: 3_600_000 })
    await publishOrder(callboard)
    // `doctor` rounds 2.5 hours down to 2 h, even if the measured time is a little shorter or longer.
    await advance(platform, '150 minutes')
    const run = await diagnose(platform.env, platformFolder)
    expect(run.code).toBe(1)
    expect(findingsOf(run)).toMatchObject({
      clock: { verdict: 'problem', message: 'the database is 2 h ahead of this process' },
      outbox: {
        verdict: 'problem',
        message: '1 event is waiting to be sequenced, the oldest for 2 h',
        advice: expect.stringContaining('callboard worker'),
      },
      workers: {
        verdict: 'problem',
        message:
          '1 subscription has overdue work, the longest for 2 h; ' +
          '1 lease has expired without another worker taking over, the longest for 1 h',
      },
    })
  })

  it('reports secrets that the key ring cannot open, and subscriptions that Callboard disabled recently', async () => {
    const platform = await migratedPlatform()
    const { callboard } = platform
    const { store, targets } = engineOf(callboard)
    const other = createCallboard({
      catalog: callboard.catalog,
      store,
      secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(8) } },
      targets,
    })
    await platform.subscribe()
    await platform.subscribe(other)
    for (const { id } of (await callboard.keys.list({ accountId: 'acc_1' })).keys.slice(0, 1))
      await callboard.keys.revoke({ accountId: 'acc_1', id })
    const run = await diagnose(platform.env, platformFolder)
    expect(run.code).toBe(1)
    expect(findingsOf(run)).toMatchObject({
      secrets: { verdict: 'problem', message: 'secretKeys open only 1 of 2 signing secrets in a sample' },
      subscriptions: { verdict: 'warning', message: 'disabled in the last 7 days: 1 (key)' },
    })
  })

  it('reports an unreadable certificate authority in the worker options', async () => {
    const { env } = await migratedPlatform()
    const run = await cli.run('doctor --json --config wrong-authority.config.ts', { env, folder: platformFolder })
    expect(run.code).toBe(1)
    expect(findingsOf(run)['tls']).toMatchObject({
      verdict: 'problem',
      message: 'certificate 1 of 1 in worker.extraCaCertificates cannot be read',
    })
  })

  it('reports environment variables that change which certificates are trusted', async () => {
    const { env } = await migratedPlatform()
    const spoilt = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_EXTRA_CA_CERTS: '/nowhere.pem' }
    const { code, stdout } = await cli.run('doctor', { env: spoilt })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^warning {2}certificates .+NODE_TLS_REJECT_UNAUTHORIZED=0/m)
    expect(stdout).toMatch(/^problem {2}certificates .+NODE_EXTRA_CA_CERTS/m)
    // Deliveries verify certificates despite both variables.
    expect(stdout).toMatch(/^ok +tls /m)
  })
})
