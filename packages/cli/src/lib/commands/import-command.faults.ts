import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliWorld } from '../../../test/cli-world.ts'

const world = cliWorld()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-import-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`
const imported = async (): Promise<number> =>
  (await world.pool.query('select count(*)::int as count from callboard.subscriptions')).rows[0].count
/** The statements that the database runs for others, such as the last one of a process that was killed. */
const running = async (): Promise<number> => {
  const others = "datname = current_database() and pid <> pg_backend_pid() and state = 'active'"
  return (await world.pool.query(`select count(*)::int as count from pg_stat_activity where ${others}`)).rows[0].count
}

describe('callboard import', () => {
  it('continues after it was killed half-way, and imports each subscription once', async () => {
    const accounts = Array.from({ length: 20 }, (_, index) => ({ kind: 'account', id: `acc_${index}`, name: 'A' }))
    const subscriptions = Array.from({ length: 5_000 }, (_, index) => ({
      ...{ kind: 'subscription', accountId: `acc_${index % 20}`, id: `end_${index}`, secret, integration: 'other' },
      ...{ targetUrl: `https://localhost/${index}`, eventTypes: ['order.paid'] },
    }))
    const file = join(folder, 'endpoints.jsonl')
    await writeFile(file, [...accounts, ...subscriptions].map((each) => JSON.stringify(each)).join('\n'))
    const killed = await world.run(`import --from ${file}`, {
      whileRunning: async (child) => {
        await expect.poll(imported, { interval: 5, timeout: 60_000 }).toBeGreaterThan(0)
        child.kill('SIGKILL')
      },
    })
    await expect.poll(running, { interval: 5, timeout: 60_000 }).toBe(0)
    const before = await imported()
    expect([killed.code, before > 0 && before < 5_000]).toEqual([null, true])
    const { code, stderr } = await world.run(`import --from ${file}`)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `${(5_000 - before).toLocaleString('en')} imported, ${(20 + before).toLocaleString('en')} existing.\n`,
    })
    expect(await imported()).toBe(5_000)
  })

  it('stops at the first Ctrl-C while it waits for more lines', async () => {
    const accounts = Array.from({ length: 500 }, (_, index) => ({
      kind: 'account',
      id: `acc_typed_${index}`,
      name: 'A',
    }))
    const stopped = await world.run('import --from -', {
      input: `${accounts.map((each) => JSON.stringify(each)).join('\n')}\n`,
      openStdin: true,
      whileRunning: async (child) => {
        await expect
          .poll(() => world.callboard.accounts.find({ id: 'acc_typed_499' }), { timeout: 60_000 })
          .toBeDefined()
        child.kill('SIGINT')
        const kill = setTimeout(() => child.kill('SIGKILL'), 10_000)
        child.once('close', () => clearTimeout(kill))
      },
    })
    expect(stopped).toMatchObject({ code: 130, stderr: expect.stringContaining('Interrupted after line 500') })
  })

  it('reads a file of any size, and a line of any length, in little memory', async () => {
    const file = join(folder, 'huge.jsonl')
    const block = Buffer.alloc(1_048_576, 'x')
    const short = Buffer.from('\nno JSON'.repeat(5_000))
    await writeFile(file, [...Array.from({ length: 150 }, () => block), short])
    const env = { NODE_OPTIONS: '--max-old-space-size=80' }
    const { code, stderr } = await world.run(`import --from ${file}`, { env })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        '5,000 lines (2, 3, 4, …): refused: The line is not JSON in UTF-8. Write one JSON object a line.\n5,001 refused.\nerror: 5001 lines were refused.\n',
    })
  })
})
