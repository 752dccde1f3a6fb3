import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventDraft } from '../../testing/inputs.ts'
import { migratedPool } from '../../testing/migrated-store.ts'
import { createPostgresStore } from '../postgres-store.ts'

const PAGE = {
  accountId: 'a',
  mode: 'live',
  type: undefined,
  after: undefined,
  limit: 5,
  horizonMs: 1e9,
  personalData: false,
} as const

// `replica.faults.ts` tests a real replica.
describe('the option reader', () => {
  let server: TestPostgres
  let pool: Pool
  let reader: Pool

  beforeAll(async () => {
    server = await startPostgres()
    ;({ pool } = await migratedPool(server))
    reader = new Pool(pool.options)
  })
  afterAll(async () => {
    await reader.end()
    await server.stop()
  })

  it('is refused with PGlite, and with a `maxLagMs` that is not a number above 0', () => {
    const pglite = {
      query: async () => ({ rows: [] }),
      execProtocol: async () => ({ messages: [] }),
      parsers: {},
      transaction: async () => undefined,
    }
    expect(() => createPostgresStore({ pglite, reader })).toThrow('The option reader needs the option pool.')
    for (const maxLagMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => createPostgresStore({ pool, reader, maxLagMs })).toThrow('maxLagMs must be a number')
  })

  it('may lead to the primary itself, which then shows at once what was published', async () => {
    const store = createPostgresStore({ pool, reader, maxLagMs: 60_000 })
    let asked = 0
    reader.on('acquire', () => asked++)
    await store.ready()
    await expect.poll(() => store.events.pageEvents(PAGE).then(() => asked)).toBeGreaterThan(2)
    const before = asked
    await store.events.publishDrafts([eventDraft('s', 'key')], undefined)
    expect((await store.events.pageEvents(PAGE)).events).toHaveLength(1)
    expect(asked).toBe(before + 1)
  })

  it('is refused by `ready` if it leads to another database, and no page is read from there', async () => {
    const other = await migratedPool(server)
    const store = createPostgresStore({ pool: other.pool, reader, maxLagMs: 60_000 })
    await expect(store.ready()).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' })
    let asked = 0
    reader.on('acquire', () => asked++)
    await expect.poll(() => store.events.pageEvents(PAGE).then(({ events }) => [events.length, asked])).toEqual([0, 1])
  })

  it('may lead to an unreachable replica: `ready` does not throw then', async () => {
    const nowhere = new Pool({ host: '127.0.0.1', port: 1 })
    await createPostgresStore({ pool, reader: nowhere }).ready()
    await nowhere.end()
  })
})
