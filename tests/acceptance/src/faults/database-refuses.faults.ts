import type { SqlClient } from '@callboard/store-postgres'
import { Pool, type PoolClient } from 'pg'
import { expect } from 'vitest'
import { orderPaidEvent, thrownBy } from '../arrange.ts'
import { describeFaults } from './fault-world.ts'

const UNAVAILABLE = { name: 'CallboardError', code: 'UNAVAILABLE', retryAfter: 1 }

/** Runs two transactions that each hold a lock the other needs, so that Postgres aborts one of them. */
async function deadlock(
  pool: Pool,
  publish: (tx: SqlClient, subject: string) => Promise<unknown>,
): Promise<{ readonly clients: PoolClient[]; readonly outcomes: PromiseSettledResult<unknown>[] }> {
  const clients = [await pool.connect(), await pool.connect()]
  const subjects = ['one', 'two']
  for (const [index, client] of clients.entries()) {
    await client.query('begin')
    await publish(client, subjects[index]!)
  }
  const outcomes = await Promise.allSettled(
    clients.map(async (client, index) => {
      await publish(client, subjects[1 - index]!)
      await client.query('commit')
    }),
  )
  return { clients, outcomes }
}

describeFaults(
  'a database that refuses statements or connections',
  (it) => {
    it('F14: of two deadlocked platform transactions, one fails with a conflict and leaves no trace', async ({
      world,
    }) => {
      const { callboard, pool } = world.open()
      const { clients, outcomes } = await deadlock(pool, (tx, id) =>
        callboard.publish(orderPaidEvent({ subject: { type: 'order', id } }), { tx }),
      )
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const loser = outcomes.findIndex(({ status }) => status === 'rejected')
      expect(outcomes[loser]).toMatchObject({ reason: { name: 'CallboardError', code: 'TRANSACTION_CONFLICT' } })
      await clients[loser]?.query('rollback')
      for (const client of clients) client.release()
      expect((await world.query('select from callboard.events')).rows).toHaveLength(2)
      expect((await world.query('select last::int from callboard.subjects')).rows).toEqual([{ last: 1 }, { last: 1 }])
    })

    it.for([
      { failures: 2, way: 'it is retried and succeeds', attempts: 3, stored: 1 },
      { failures: 9, way: 'it fails with UNAVAILABLE after three attempts', attempts: 3, stored: 0 },
    ])(
      'F14: a publish in its own transaction meets $failures serialisation failures: $way',
      async ({ failures, attempts, stored }, { world }) => {
        // Makes the first `failures` inserts fail with Postgres's serialisation error. A sequence counts the inserts,
        // because a rollback does not undo `nextval`.
        await world.query(`
create sequence attempts;
create function meet() returns trigger language plpgsql as $$ begin
  if nextval('attempts') <= ${failures} then raise exception 'met' using errcode = '40001'; end if;
  return new;
end $$;
create trigger meet before insert on callboard.events for each row execute function meet()`)
        const { callboard, pool } = world.open()
        const outcome = await Promise.allSettled([callboard.publish(orderPaidEvent({ idempotencyKey: 'k' }))])
        expect(outcome).toMatchObject([stored === 1 ? { status: 'fulfilled' } : { reason: UNAVAILABLE }])
        expect((await world.query('select last_value::int as attempts from attempts')).rows).toEqual([{ attempts }])
        expect((await world.query('select from callboard.events')).rows).toHaveLength(stored)
        expect((await world.query('select from callboard.outbox')).rows).toHaveLength(stored)
        expect((await world.query('select from callboard.subjects')).rows).toHaveLength(stored)
        expect(pool).toMatchObject({ totalCount: 1, idleCount: 1 })
      },
    )

    it.for([
      { whose: 'of the pool', pool: { max: 1, connectionTimeoutMillis: 2_000 }, store: {} },
      { whose: 'of the store, if the pool has none', pool: { max: 1 }, store: { queryTimeoutMs: 2_000 } },
    ])('F15: an exhausted pool causes 503s within the timeout $whose', async ({ pool: options, store }, { world }) => {
      const { callboard, pool } = world.open({ pool: options, store })
      const taken = await pool.connect()
      const calls = {
        read: () => callboard.accounts.find({ id: 'acc' }),
        publish: () => callboard.publish(orderPaidEvent()),
        transaction: () => callboard.publish(orderPaidEvent({ idempotencyKey: 'k' })),
      }
      for (const [name, call] of Object.entries(calls)) expect(await thrownBy(call()), name).toMatchObject(UNAVAILABLE)
      const response = await world.me(callboard)
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('1')
      expect(await response.json()).toMatchObject({ errorCode: 'UNAVAILABLE' })

      taken.release()
      expect((await world.me(callboard)).status).toBe(200)
      // The pool handed out the connection only after the timeout of the calls, which then released the connection.
      expect(pool).toMatchObject({ totalCount: 1, idleCount: 1, waitingCount: 0 })
    })

    it('F15: if the platform’s pool is exhausted, workers with a pool of their own continue', async ({ world }) => {
      const { path } = await world.subscribe()
      const { pool } = world.open({ pool: { max: 1 } })
      const taken = await pool.connect()
      const worker = await world.work()
      await world.publish()
      await world.receiver.received(path)
      await world.quiet()
      taken.release()
      expect(await world.invariants({ survivors: [worker] })).toMatchObject({ delivered: 1 })
    })

    it('F16: at max_connections, calls get 503s and workers back off until connections are free again', async ({
      world,
    }) => {
      const { path } = await world.subscribe()
      const { callboard } = world.open()
      const worker = await world.work()
      await world.publish(10)
      // Takes every free connection of the server. Then terminates the connections of the platform and the worker, and
      // takes their places.
      const others = new Pool({ connectionString: world.server.url, max: 100 })
      others.on('error', () => undefined)
      const taken: PoolClient[] = []
      const take = async (): Promise<void> => {
        for (;;) {
          const client = await others.connect()
          client.on('error', () => undefined)
          taken.push(client)
        }
      }
      // Repeated, because the worker may reconnect before its place is taken.
      const refuse = async (): Promise<number> => {
        expect(await thrownBy(take())).toMatchObject({ code: '53300' })
        await world.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        )
        expect(await thrownBy(take())).toMatchObject({ code: '53300' })
        return worker.errors.length
      }
      await expect.poll(refuse, { timeout: 30_000, interval: 200 }).toBeGreaterThan(2)
      expect((await world.me(callboard)).status).toBe(503)
      expect(new Set(worker.errors)).toEqual(new Set(['UNAVAILABLE']))

      for (const client of taken) client.release(true)
      await others.end()
      await expect.poll(async () => (await world.me(callboard)).status, { timeout: 30_000 }).toBe(200)
      await world.receiver.received(path, 10)
      await world.quiet()
      expect(await world.invariants({ survivors: [worker], unsettled: 10, crashes: 1 })).toMatchObject({
        delivered: 10,
      })
    })

    it('F33: while the database is read-only, calls get UNAVAILABLE and nothing crashes or needs a restart', async ({
      world,
    }) => {
      const { path } = await world.subscribe()
      const { callboard, pool } = world.open()
      const worker = await world.work()
      const turn = async (way: 'on' | 'off'): Promise<void> => {
        await world.query(`set default_transaction_read_only = off`)
        await world.query(`alter system set default_transaction_read_only = ${way}`)
        await world.query('select pg_reload_conf()')
        await expect
          .poll(async () => (await pool.query('show default_transaction_read_only')).rows[0])
          .toEqual({
            default_transaction_read_only: way,
          })
      }
      await turn('on')
      expect(await thrownBy(callboard.publish(orderPaidEvent()))).toMatchObject(UNAVAILABLE)
      expect(await thrownBy(callboard.publish(orderPaidEvent({ idempotencyKey: 'k' })))).toMatchObject(UNAVAILABLE)
      expect((await world.me(callboard)).status).toBe(503)
      await expect.poll(() => worker.errors.length, { timeout: 30_000 }).toBeGreaterThan(0)
      expect(new Set(worker.errors)).toEqual(new Set(['UNAVAILABLE']))
      await turn('off')
      await callboard.publish(orderPaidEvent())
      await world.receiver.received(path)
      await world.quiet()
      expect(await world.invariants({ survivors: [worker] })).toMatchObject({ delivered: 1, repeated: 0 })
    })
  },
  { settings: { max_connections: '20', superuser_reserved_connections: '3', deadlock_timeout: '50ms' } },
)
