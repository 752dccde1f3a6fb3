import { isCallboardError } from '@callboard/core'
import { ENTRY } from '@callboard/store-conformance'
import { type FaultProxy, startFaultProxy, startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft } from '../../testing/inputs.ts'
import { ORDERS, type TransactionTool, toolsOnPostgres } from '../../testing/transaction-tools.ts'
import type { SqlClient } from '../database/database.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'
import { migrate } from '../schema/migrate.ts'

let server: TestPostgres
let url: string
let proxy: FaultProxy
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase()
  proxy = await startFaultProxy(url)
  pool = new Pool({ connectionString: url })
  pool.on('error', () => undefined)
  const client = await pool.connect()
  await migrate(client)
  client.release()
  await pool.query(ORDERS)
  store = createPostgresStore({ pool })
  await store.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
})

afterAll(async () => {
  await proxy.stop()
  await pool.end()
  await server.stop()
})

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  )

describe.each(Object.entries(toolsOnPostgres))('publishing in a transaction of %s', (_, connect) => {
  let tool: TransactionTool

  beforeEach(async () => {
    tool = await connect(proxy.through(url))
    return () => tool.close()
  })

  /**
   * Sells an order, causes `trouble` and publishes, all in one transaction. Returns the error that `publish` throws,
   * whatever the tool itself throws afterwards.
   */
  async function errorAfter(trouble: (tx: SqlClient) => Promise<unknown>, subject?: string): Promise<unknown> {
    let thrown: unknown
    const transaction = tool.transaction(async (tx, sell) => {
      await sell('ada@example.com')
      await trouble(tx)
      thrown = await thrownBy(store.events.publishDrafts([eventDraft(subject)], tx))
      throw thrown
    })
    await thrownBy(transaction)
    return thrown
  }

  it('reports a connection that is lost while the statement is sent, or before its answer arrives', async () => {
    for (const [side, word] of [
      ['client', 'publish_event'],
      ['server', 'sequence'],
    ] as const) {
      let cut: Promise<void> | undefined
      const thrown = await errorAfter(async () => {
        cut = proxy.cutWhen(side, (bytes) => bytes.includes(word))
      })
      await cut
      expect(thrown).toSatisfy((error) => isCallboardError(error, 'UNAVAILABLE'), side)
    }
  })

  it('reports a lock that it did not get in time', async () => {
    const holder = await pool.connect()
    await holder.query('begin')
    await store.events.publishDrafts([eventDraft('locked')], holder)
    const thrown = await errorAfter((tx) => tx.query(`set local lock_timeout = '1ms'`), 'locked')
    expect(thrown).toSatisfy((error) => isCallboardError(error, 'UNAVAILABLE'))
    await holder.query('rollback')
    holder.release()
  })

  it('reports a deadlock as a conflict', async () => {
    const holder = await pool.connect()
    await holder.query(`begin; set local deadlock_timeout = '1min'`)
    await store.events.publishDrafts([eventDraft('one')], holder)
    let waiting: Promise<unknown> | undefined
    const thrown = await errorAfter(async (tx) => {
      await tx.query(`set local deadlock_timeout = '1ms'`)
      await store.events.publishDrafts([eventDraft('two')], tx)
      waiting = store.events.publishDrafts([eventDraft('two')], holder)
      const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      await expect.poll(async () => (await pool.query(waits)).rowCount).toBe(1)
    }, 'one')
    expect(thrown).toSatisfy((error) => isCallboardError(error, 'TRANSACTION_CONFLICT'))
    await waiting
    await holder.query('rollback')
    holder.release()
  })
})
