import type { KeyRecord } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { cliWorld } from '../../../test/cli-world.ts'

const world = cliWorld()

describe('callboard migrate', () => {
  it('lists keys page by page, and those of all accounts up to the limit', async () => {
    const issued: string[] = []
    for (let keys = 0; keys < 3; keys++)
      issued.unshift((await world.callboard.keys.issue({ accountId: 'acc_1', name: 'K', scopes: [] })).id)
    const idsOf = (stdout: string): string[] => stdout.match(/key_\w+/g) ?? []
    const first = await world.run('keys list --account acc_1 --limit 2')
    const [, cursor = ''] = /--cursor (\S+)/.exec(first.stderr) ?? []
    const rest = await world.run(`keys list --account acc_1 --limit 100 --cursor ${cursor}`)
    expect(idsOf(first.stdout)).toEqual(issued.slice(0, 2))
    expect(idsOf(rest.stdout)[0]).toBe(issued[2])
    const all = await world.run('keys list --limit 2')
    expect([idsOf(all.stdout).length, all.stderr]).toEqual([2, 'There are more: raise --limit\n'])
    expect(await world.run('keys list --cursor x')).toMatchObject({ code: 2 })
  })

  it('is required by other commands, applies missing migrations, and does nothing the second time', async () => {
    const env = { DATABASE_URL: await world.createDatabase() }
    const early = await world.runWithoutConfig('keys list --account acc_1', { env })
    expect(early).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('callboard migrate') })
    const first = await world.runWithoutConfig('migrate', { env })
    expect(first).toMatchObject({ code: 0, stderr: 'The database is up to date.\n' })
    expect(first.stdout.split('\n')[0]).toBe('0001-initial.sql')
    const second = await world.runWithoutConfig('migrate --json', { env })
    expect(second).toMatchObject({ code: 0, stdout: `${JSON.stringify({ applied: [] }, null, 2)}\n`, stderr: '' })
  })

  it('prints the SQL without needing a database', async () => {
    const { code, stdout } = await world.runWithoutConfig('migrate --sql --schema elsewhere', {
      env: { DATABASE_URL: '' },
    })
    expect(code).toBe(0)
    expect(stdout).toContain("insert into elsewhere.migrations (name) values ('0001-initial.sql')")
  })
})

it('callboard migrate says what to do about a database that does not exist or refuses the role', async () => {
  const url = new URL(await world.createDatabase())
  url.pathname = '/elsewhere'
  const absent = await world.runWithoutConfig('migrate', { env: { DATABASE_URL: url.href } })
  expect(absent).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: database "elsewhere" does not exist. Create it/),
  })
  await world.pool.query('drop role if exists nobody; create role nobody login')
  url.username = 'nobody'
  url.pathname = new URL(await world.createDatabase()).pathname
  const { code, stderr } = await world.runWithoutConfig('migrate', { env: { DATABASE_URL: url.href } })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^error: .*(password authentication failed|permission denied).*\n$/)
})

describe('callboard accounts', () => {
  it('creates an account, refuses to create it twice, and shows it', async () => {
    const words = ['accounts', 'create', 'acc_2', '--name', 'Pier House']
    expect(await world.run(words)).toEqual({ code: 0, stdout: '', stderr: 'Created acc_2.\n' })
    expect(await world.run(words)).toMatchObject({ code: 1, stdout: '' })
    expect((await world.run('accounts show acc_2')).stdout).toBe('id     acc_2\nname   Pier House\n')
    expect(await world.run('accounts show acc_3')).toMatchObject({
      code: 1,
      stderr: 'error: There is no such account.\n',
    })
  })
})

describe('callboard keys', () => {
  const admit = (token: string) => engineOf(world.callboard).admissions.admit(`Bearer ${token.trim()}`)

  it("prints only a new key's token to stdout, and the platform's API accepts the token", async () => {
    const issued = await world.run('keys issue --account acc_1 --name Zapier --mode test --scope webhooks.read')
    expect(issued).toMatchObject({ code: 0, stderr: expect.stringContaining('will not be shown again') })
    expect(issued.stdout).toMatch(/^harbour_test_\w+\n$/)
    expect(issued.stderr).not.toContain(issued.stdout.trim())
    expect(await admit(issued.stdout)).toMatchObject({ caller: { mode: 'test', scopes: ['webhooks.read'] } })
  })

  it('lists keys without tokens, as a table or as a JSON document', async () => {
    const table = await world.run('keys list', { env: { CALLBOARD_ACCOUNT: 'acc_1' } })
    const [head, first] = table.stdout.split('\n')
    expect(head).toMatch(/^ID +NAME +TOKEN +MODE +SCOPES +STATE +VERSION +CREATED +LAST USED$/)
    expect(first).toMatch(/^key_\w+ +Zapier +…\w{4} +test +webhooks\.read +valid +\d{4}-/)
    expect(first!.indexOf('Zapier')).toBe(head!.indexOf('NAME'))
    const { data } = (await world.json('keys list --account acc_1')) as { data: KeyRecord[] }
    expect(data[0]).toMatchObject({ name: 'Zapier', mode: 'test', revokedAt: null })
    expect(table.stdout + JSON.stringify(data)).not.toContain('harbour_')
    expect(await world.run('keys list --account none')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('no keys'),
    })
  })

  it('rotates a key, and revokes its successor', async () => {
    const old = await world.callboard.keys.issue({ accountId: 'acc_1', name: 'CRM', scopes: ['webhooks.read'] })
    const rotated = await world.run(`keys rotate ${old.id} --account acc_1 --overlap 7d --json`)
    const successor = JSON.parse(rotated.stdout)
    expect(await admit(successor.token)).toMatchObject({ outcome: 'admitted' })
    const revoked = await world.run(`keys revoke ${successor.id} --account acc_1`)
    expect(revoked).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Revoked CRM …${successor.token.slice(-4)} (${successor.id}). It had no active subscriptions.\n`,
    })
    expect(await admit(successor.token)).toMatchObject({ outcome: 'refused' })
    const { data } = (await world.json('keys list --account acc_1')) as { data: KeyRecord[] }
    const days = (Date.parse(String(data.find(({ id }) => id === old.id)?.expiresAt)) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(7)
  })

  it('says which subscriptions a rotation moves, and which a revocation disables', async () => {
    const subscription = await world.callboard.subscriptions.find(
      await world.subscribe('https://hooks.example.com/crm'),
    )
    const old = subscription?.confirmedBy
    const labelOf = async (id: unknown) => {
      const key = await world.callboard.keys.find({ accountId: 'acc_1', id: String(id) })
      return `Zapier …${key?.lastCharacters} (${id})`
    }
    const rotated = await world.run(`keys rotate ${old} --account acc_1`)
    const successor = (await world.callboard.keys.find({ accountId: 'acc_1', id: String(old) }))?.successorId
    expect(rotated.stderr).toContain(`${await labelOf(old)} stays valid until 20`)
    expect(rotated.stderr).toContain(`1 subscription moved to ${await labelOf(successor)}.`)
    expect((await world.run(`keys revoke ${old} --account acc_1`)).stderr).toBe(
      `Revoked ${await labelOf(old)}. Its subscriptions were not disabled, because they belong to its successor ${successor}.\n`,
    )
    expect((await world.run(`keys revoke ${successor} --account acc_1`)).stderr).toBe(
      `Revoked ${await labelOf(successor)}. 1 subscription was disabled (reason: key).\n`,
    )
  })

  it("prints core's error messages unchanged, and includes the error code with --json", async () => {
    const unknown = await world.run('keys revoke key_1 --account acc_1 --json')
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { code: 'NOT_FOUND' } })
    const homeless = await world.run('keys issue --account none --name x')
    expect(homeless).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: No account has this id\./),
    })
  })

  it('says what to do when the account has reached its limit of keys', async () => {
    await world.callboard.accounts.create({ id: 'acc_full', name: 'Full' })
    const key = { accountId: 'acc_full', name: 'k', scopes: ['webhooks.read'] } as const
    for (let issued = 0; issued < 100; issued++) await world.callboard.keys.issue(key)
    expect(await world.run('keys issue --account acc_full --name x')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('error: The account has reached its limit of 100 keys. Revoke one first.'),
    })
  })

  it('issues keys with the prefix in CALLBOARD_KEY_PREFIX if there is no config module', async () => {
    const env = { CALLBOARD_KEY_PREFIX: 'harbour' }
    const prefixed = await world.runWithoutConfig('keys issue --account acc_1 --name Make', { env })
    expect(await admit(prefixed.stdout)).toMatchObject({ outcome: 'admitted' })
    expect(prefixed.stderr).not.toContain('CALLBOARD_KEY_PREFIX')
    const unprefixed = await world.runWithoutConfig('keys issue --account acc_1 --name Make')
    expect(await admit(unprefixed.stdout)).toMatchObject({ outcome: 'refused' })
    expect(unprefixed.stderr).toContain('set CALLBOARD_KEY_PREFIX')
  })
})
