import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { cliWorld } from '../../../test/cli-world.ts'

const world = cliWorld()
const OLD = '2026-04-01'
const NEW = '2026-10-01'
const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] } as const
const owner = { accountId: 'acc_1' } as const

const note = defineEventType({
  name: 'note.added',
  family: 'notes',
  descriptionKey: 'k',
  schema: z.object({}),
  sample: {},
})

/** Pins a subscription and a key to a version that the catalogue does not have. */
async function pinToMissing() {
  const { id } = await world.callboard.subscriptions.create({ ...owner, ...input, apiVersion: OLD })
  const key = await world.callboard.keys.issue({ ...owner, name: 'k', scopes: [], apiVersion: OLD })
  const about = { accountId: undefined, mode: undefined, objectId: undefined, details: {} }
  const entry = { actor: { type: 'platform', id: undefined }, action: 'versions.moved', ...about } as const
  await engineOf(world.callboard).store.versions.moveVersion(OLD, '2025-01-01', entry)
  return { id, key }
}

describe('callboard versions', () => {
  it('lists what is pinned to each version, and moves everything from one version to another', async () => {
    const { id } = await pinToMissing()
    expect(await world.json('versions list')).toMatchObject({
      data: [
        { version: NEW, servedAs: NEW, retirement: null },
        { version: OLD, servedAs: OLD, retirement: { sunset: '2027-10-01' } },
        { version: '2025-01-01', servedAs: OLD, subscriptions: 1, keys: 1, events: 0 },
      ],
    })
    const { stdout, stderr } = await world.run('versions list')
    expect(stdout).toMatch(/^2025-01-01 +2026-04-01 +- +- +1 +1 +0$/m)
    expect(stderr).toContain('"versions move" moves what is pinned to them')
    expect(await world.json('versions show 2025-01-01')).toMatchObject({ data: [{ id, accountId: 'acc_1' }] })

    const asked = await world.run(`versions move 2025-01-01 ${NEW}`)
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') })
    expect(await world.run(`versions move 2025-01-01 ${NEW} --yes`)).toEqual({
      code: 0,
      stdout: '',
      stderr: `Moved 1 subscription and 1 key from 2025-01-01 to ${NEW}.\n`,
    })
    expect((await world.run('versions show 2025-01-01')).stderr).toBe('No subscription is pinned to 2025-01-01.\n')
    const { code, stderr: refusal } = await world.run(`versions move ${NEW} 2025-01-01 --yes`)
    expect([code, refusal]).toEqual([1, expect.stringContaining(`The versions are ${NEW}, ${OLD}.`)])
  })

  it('needs the catalogue', async () => {
    const { code, stderr } = await world.runWithoutConfig('versions list')
    expect([code, stderr]).toEqual([2, expect.stringContaining('needs your catalogue')])
  })
})

it('callboard doctor warns of versions that the catalogue lacks, and counts uses of deprecated versions', async () => {
  const { key } = await pinToMissing()
  const versions = async () => {
    const { stdout } = await world.run('doctor --json')
    const { findings } = JSON.parse(stdout)
    return findings.find(({ check }: { check: string }) => check === 'versions')
  }
  expect(await versions()).toMatchObject({
    verdict: 'warning',
    message: expect.stringMatching(/^in use, but ended or not in the catalogue: 2025-01-01 \(1 subscriptions, 1 keys/),
  })
  await world.run(`versions move 2025-01-01 ${NEW} --yes`)
  await world.run(`keys move ${key.id} ${OLD} --account acc_1`)
  expect(await versions()).toMatchObject({
    verdict: 'ok',
    message: expect.stringMatching(/^deprecated, but still in use: 2026-04-01 \(.*1 keys, sunset 2027-10-01\)$/),
  })
})

it('a subscription and a key can be moved to another format version', async () => {
  const { id } = await world.callboard.subscriptions.create({ ...owner, ...input })
  const moved = await world.run(`subscriptions move ${id} ${OLD} --account acc_1`)
  expect(moved).toEqual({ code: 0, stdout: '', stderr: `Pinned hooks.example.com/1 (${id}) to ${OLD}.\n` })
  expect((await world.run('subscriptions list --account acc_1')).stdout).toMatch(new RegExp(`^${id}.* ${OLD} `, 'm'))

  const { stderr } = await world.run(`keys issue --account acc_1 --name old --api-version ${OLD}`)
  const [keyId = ''] = /key_\w+/.exec(stderr) ?? []
  expect(await world.callboard.keys.find({ accountId: 'acc_1', id: keyId })).toMatchObject({ apiVersion: OLD })
  expect(await world.run(`keys move ${keyId} ${NEW} --account acc_1`)).toMatchObject({
    stderr: expect.stringMatching(new RegExp(`^Pinned old …\\w{4} \\(${keyId}\\) to ${NEW}\\.\\n$`)),
  })
  expect(await world.callboard.keys.find({ accountId: 'acc_1', id: keyId })).toMatchObject({ apiVersion: NEW })
})

describe('a key that is issued without a config module', () => {
  it('gets the newest version that the database knows, or the one that is named', async () => {
    await world.callboard.keys.issue({ ...owner, name: 'k', scopes: [] })
    const versionOf = async (words: string) => {
      const { stderr } = await world.runWithoutConfig(`keys issue --account acc_1 --name x ${words}`)
      return (await world.callboard.keys.find({ accountId: 'acc_1', id: /key_\w+/.exec(stderr)?.[0] ?? '' }))
        ?.apiVersion
    }
    expect(await versionOf('')).toBe(NEW)
    expect(await versionOf(`--api-version ${OLD}`)).toBe(OLD)
  })

  it('gets the newest version that any event has, even if nothing is pinned to that version', async () => {
    const { store } = engineOf(world.callboard)
    const secretKeys = { current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } }
    for (const version of ['2025-01-01', '2027-01-01', '2026-01-01']) {
      const callboard = createCallboard({ catalog: defineCatalog({ version, types: [note] }), store, secretKeys })
      await callboard.publish({ ...owner, type: 'note.added', subject: { type: 'note', id: '1' }, data: {} })
    }
    const { stderr } = await world.runWithoutConfig('keys issue --account acc_1 --name x')
    const keyId = /key_\w+/.exec(stderr)?.[0] ?? ''
    expect(await world.callboard.keys.find({ accountId: 'acc_1', id: keyId })).toMatchObject({
      apiVersion: '2027-01-01',
    })
  })

  it('is refused if the database knows no version and none is named', async () => {
    const env = { DATABASE_URL: await world.createDatabase() }
    await world.runWithoutConfig('migrate', { env })
    await world.runWithoutConfig('accounts create acc_1 --name A', { env })
    const { code, stderr } = await world.runWithoutConfig('keys issue --account acc_1 --name x', { env })
    expect([code, stderr]).toEqual([2, expect.stringContaining('--api-version')])
  })
})
