import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltCli, buildCli, platformFolder } from '../../../test/built-cli.ts'
import { openPlatform } from '../../../test/platform/callboard.ts'

let cli: BuiltCli
let postgres: TestPostgres
let env: { DATABASE_URL: string }
let platform: ReturnType<typeof openPlatform>

beforeAll(async () => {
  ;[cli, postgres] = await Promise.all([buildCli(), startPostgres()])
  env = { DATABASE_URL: await postgres.createDatabase() }
  platform = openPlatform(env.DATABASE_URL)
})

afterAll(async () => {
  await platform.pool.end()
  await Promise.all([cli.remove(), postgres.stop()])
})

describe('callboard migrate', () => {
  it('says what to do before it ran, applies what is missing, and then has nothing to do', async () => {
    const early = await cli.run('keys list --account acc_1', { env })
    expect(early).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('run migrate') })
    const first = await cli.run('migrate', { env })
    expect(first).toMatchObject({ code: 0, stderr: 'The database is up to date.\n' })
    expect(first.stdout.split('\n')[0]).toBe('0001-initial.sql')
    const second = await cli.run('migrate --json', { env })
    expect(second).toMatchObject({ code: 0, stdout: `${JSON.stringify({ applied: [] }, null, 2)}\n`, stderr: '' })
  })

  it('prints the SQL with no database at hand', async () => {
    const { code, stdout } = await cli.run('migrate --sql --schema elsewhere')
    expect(code).toBe(0)
    expect(stdout).toContain("insert into elsewhere.migrations (name) values ('0001-initial.sql');")
  })
})

describe('callboard keys', () => {
  beforeAll(async () => {
    await cli.run('migrate', { env })
    await platform.callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  })

  it("gives the token alone to stdout, one that the platform's API takes", async () => {
    const issued = await cli.run('keys issue --account acc_1 --name Zapier --mode test', {
      env,
      folder: platformFolder,
    })
    expect(issued).toMatchObject({ code: 0, stderr: expect.stringContaining('shown this once') })
    expect(issued.stdout).toMatch(/^harbour_test_\w+\n$/)
    expect(issued.stderr).not.toContain(issued.stdout.trim())
    const admission = await platform.callboard.admissions.admit(`Bearer ${issued.stdout.trim()}`)
    expect(admission).toMatchObject({ caller: { account: { id: 'acc_1' }, mode: 'test' } })
  })
})
