import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { ENTRY } from '@callboard/store-conformance'
import { type FaultProxy, startFaultProxy, startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft } from '../../testing/inputs.ts'
import { migratedStore } from '../../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'
import { migrate } from '../schema/migrate.ts'

const UNAVAILABLE = { name: 'CallboardError', code: 'UNAVAILABLE', retryAfter: 1 }
const TIMEOUT_MS = 2_000

describe('a store on a pg pool', () => {
  let server: TestPostgres
  let proxy: FaultProxy
  let direct: Pool
  let pool: Pool
  let store: PostgresStore

  beforeAll(async () => {
    server = await startPostgres()
    const url = await server.createDatabase()
    proxy = await startFaultProxy(url)
    direct = new Pool({ connectionString: url, max: 2 })
    await migratedStore(direct)
    pool = new Pool({ connectionString: proxy.through(url), max: 1 })
    store = createPostgresStore({ pool, queryTimeoutMs: TIMEOUT_MS })
  })
  afterAll(async () => {
    await proxy.pass()
    await Promise.all([pool.end(), direct.end()])
    await proxy.stop()
    await server.stop()
  })
  beforeEach(() => proxy.pass())

  it.each([
    ['a statement', () => store.accounts.find('a')],
    ['a pass over the outbox', () => store.deliveries.sequence(1)],
    ['a transaction', () => store.events.publishDrafts([eventDraft('s', 'key')], undefined)],
  ])('closes a connection that went silent during %s, after one timeout', async (_name, call) => {
    await store.accounts.find('a')
    expect(pool.totalCount).toBe(1)
    proxy.strand()
    const start = performance.now()
    await expect(call()).rejects.toMatchObject(UNAVAILABLE)
    // A rollback that gets no answer does not add a second timeout.
    expect(performance.now() - start).toBeLessThan(1.8 * TIMEOUT_MS)
    expect(pool.totalCount).toBe(0)
    await call()
  })

  it('keeps a connection on which a statement failed', async () => {
    await store.accounts.find('a')
    const accepted = proxy.accepted
    await direct.query('alter table callboard.accounts add constraint short check (length(name) < 5) not valid')
    await expect(store.accounts.rename({ id: 'a', name: 'too long' }, ENTRY)).rejects.toThrow('short')
    await direct.query('alter table callboard.accounts drop constraint short')
    await expect(store.accounts.rename({ id: 'a', name: 'B' }, ENTRY)).resolves.toBe(true)
    expect(proxy.accepted).toBe(accepted)
  })

  it('keeps a connection on which a pass over the outbox failed', async () => {
    await store.events.publishDrafts([eventDraft('f')], undefined)
    const accepted = proxy.accepted
    await direct.query('alter table callboard.sequencer add constraint stuck check (position < 0) not valid')
    await expect(store.deliveries.sequence(1)).rejects.toThrow('stuck')
    await direct.query('alter table callboard.sequencer drop constraint stuck')
    await expect(store.deliveries.sequence(1)).resolves.toMatchObject({ sequenced: 1 })
    expect(proxy.accepted).toBe(accepted)
  })

  it('waits for an exhausted pool until the timeout, and releases a connection that it gets later', async () => {
    const taken = await pool.connect()
    await expect(store.accounts.find('a')).rejects.toMatchObject(UNAVAILABLE)
    expect(pool.waitingCount).toBe(1)
    taken.release()
    await expect(store.accounts.find('a')).resolves.toMatchObject({ id: 'a' })
    expect(pool).toMatchObject({ totalCount: 1, idleCount: 1, waitingCount: 0 })
  })

  it('survives a server that, while shutting down, accepts a connection and ends it at once', async () => {
    const upstream = new URL(await server.createDatabase())
    const target = Number(upstream.port)
    const fatal = Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0')
    const length = Buffer.alloc(4)
    length.writeInt32BE(fatal.length + length.length)
    const ending = createServer((near) => {
      const far = connect(target, '127.0.0.1')
      near.on('data', (bytes) => far.write(bytes))
      far.on('data', (bytes: Buffer) => {
        // The fake server sends ReadyForQuery and closes the connection in the same packet.
        const ready = bytes.includes(Buffer.from('Z\0\0\0\x05I'))
        near.write(ready ? Buffer.concat([bytes, Buffer.from('E'), length, fatal]) : bytes)
        if (ready) near.destroySoon()
      })
      near.on('close', () => far.destroy())
    }).listen(0, '127.0.0.1')
    await once(ending, 'listening')
    upstream.port = String((ending.address() as AddressInfo).port)
    const doomed = new Pool({ connectionString: upstream.href })
    const other = createPostgresStore({ pool: doomed })
    await expect(other.accounts.find('a')).rejects.toMatchObject(UNAVAILABLE)
    await expect(other.events.publishDrafts([eventDraft('u', 'key')], undefined)).rejects.toMatchObject(UNAVAILABLE)
    expect(doomed.totalCount).toBe(0)
    await doomed.end()
    ending.close()
  })

  it('closes a connection whose server has become read-only, and works again on another one', async () => {
    await store.accounts.find('a')
    // The second call is a transaction. Its connection must be closed without a rollback.
    for (const call of [
      () => store.accounts.rename({ id: 'a', name: 'R' }, ENTRY),
      () => store.events.publishDrafts([eventDraft('r', 'key-r')], undefined),
    ]) {
      await pool.query('set default_transaction_read_only = on')
      await expect(call()).rejects.toMatchObject(UNAVAILABLE)
      expect(pool.totalCount).toBe(0)
      await call()
    }
  })

  it('tells its prepared statements apart in a schema with a name of 63 characters', async () => {
    const schema = 's'.repeat(63)
    const client = await direct.connect()
    await migrate(client, { schema })
    client.release()
    const long = createPostgresStore({ pool, schema })
    await expect(long.accounts.createAccounts([{ id: 'a', name: 'Long', entry: ENTRY }])).resolves.toBeDefined()
    await expect(long.accounts.find('a')).resolves.toMatchObject({ name: 'Long' })
    await expect(long.accounts.list({ after: '', limit: 1 })).resolves.toMatchObject([{ name: 'Long' }])
    await expect(store.accounts.find('a')).resolves.not.toMatchObject({ name: 'Long' })
  })

  it('closes a connection whose prepared statements somebody has deallocated, and reports which option to set', async () => {
    await store.accounts.find('a')
    await pool.query('deallocate all')
    await expect(store.accounts.find('a')).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('prepare: false'),
    })
    await expect(store.accounts.find('a')).resolves.toBeDefined()
  })

  it('sets timeouts with which the server ends a transaction that its client has abandoned', async () => {
    await direct.query(`
create table seen (statement text, idle text, lock text);
create function look() returns trigger language plpgsql as $$ begin
  insert into seen
  select current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
    current_setting('lock_timeout');
  return new;
end $$;
create trigger look before insert on callboard.events for each row execute function look()`)
    await store.events.publishDrafts([eventDraft('t', 'other')], undefined)
    expect((await direct.query('select * from seen')).rows).toEqual([{ statement: '2s', idle: '5s', lock: '5s' }])
    // The timeouts end with the transaction. The platform's connection keeps its own settings.
    expect((await pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
  })
})
