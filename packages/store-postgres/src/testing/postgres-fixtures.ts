import { setTimeout as delay } from 'node:timers/promises'
import type { RaceFixture, RunnerFixture, StoreTransaction, TransactionFixture } from '@callboard/store-conformance'
import { createMemoryStore } from '@callboard/store-memory'
import type { TestPostgres } from '@callboard/testbed'
import { PGlite } from '@electric-sql/pglite'
import { Client, Pool } from 'pg'
import type { SqlClient } from '../lib/database/database.ts'
import { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from '../lib/postgres-store.ts'
import { migrate } from '../lib/schema/migrate.ts'
import { holdOpen } from './hold-open.ts'

/**
 * SQL that moves the clock of a schema. The new function is in PL/pgSQL like the old one, because a call that is
 * running may pass the new text to the old language's handler.
 */
function moveClock(schema: string, ms: number): string {
  return setClock(schema, `clock_timestamp() + interval '${ms} ms'`)
}

function stopClock(schema: string, at: number): string {
  return setClock(schema, `'${new Date(at).toISOString()}'`)
}

function setClock(schema: string, time: string): string {
  return `create or replace function ${schema}.clock() returns timestamptz language plpgsql stable
    as $$ begin return ${time}; end $$`
}

export interface PostgresFixtureOptions extends Pick<PostgresStoreOptions, 'prepare'> {
  /** Returns the URL of a database on the replica; by default, there is no replica. */
  readonly onReplica?: ((url: string) => string) | undefined
}

/** Migrated tables, for one fixture. */
interface Place {
  readonly url: string
  readonly schema: string
  readonly drop: () => Promise<unknown>
}

async function migrated(url: string, schema: string): Promise<Place> {
  const run = async (work: (client: Client) => Promise<unknown>): Promise<void> => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await work(client).finally(() => client.end())
  }
  await run((client) => migrate(client, { schema }))
  return { url, schema, drop: () => run((client) => client.query(`drop schema ${schema} cascade`)) }
}

/** Makes a place in a database of its own: a copy of a migrated one, which takes half the time of a migration. */
export function inCopies(server: () => TestPostgres): () => Promise<Place> {
  let original: Promise<Place> | undefined
  return async () => {
    // Not the default, so that the tests show that all SQL names the schema.
    original ??= server()
      .createDatabase()
      .then((url) => migrated(url, 'callboard_1'))
    const { url, schema } = await original
    return { schema, ...(await server().copyDatabase(url)) }
  }
}

/** Makes a place in a schema of one database. */
export function inSchemas(createDatabase: () => Promise<string>): () => Promise<Place> {
  let url: Promise<string> | undefined
  let schemas = 0
  return async () => {
    url ??= createDatabase()
    return migrated(await url, `callboard_${++schemas}`)
  }
}

/** Creates fixtures in a real Postgres. */
export function postgresFixtures(
  place: () => Promise<Place>,
  { onReplica, ...options }: PostgresFixtureOptions = {},
): () => Promise<RaceFixture<SqlClient> & Pick<RunnerFixture, 'stopClock'>> {
  return async () => {
    const { url: connectionString, schema, drop } = await place()
    const pools: Pool[] = []
    const open = (url = connectionString) => {
      // With `REMOTE_APPLY`, a commit returns only once its changes are visible on the replica.
      const pool = new Pool({ connectionString: url, max: 12, ...(onReplica && { options: REMOTE_APPLY }) })
      pools.push(pool)
      return pool
    }
    const openStore = (pool: Pool): PostgresStore =>
      createPostgresStore({
        pool,
        reader: onReplica && open(onReplica(connectionString)),
        maxLagMs: 60_000,
        schema,
        ...options,
      })
    const pool = open()
    let moved = 0
    const store = openStore(pool)
    if (onReplica !== undefined) await untilReplicaReads(store)
    return {
      store,
      async advance(ms) {
        moved += ms
        await pool.query(moveClock(schema, moved))
      },
      async stopClock(at) {
        await pool.query(stopClock(schema, at))
      },
      async begin(): Promise<StoreTransaction<SqlClient>> {
        const tx = await pool.connect()
        await tx.query('begin')
        const end = async (how: 'commit' | 'rollback'): Promise<void> => {
          await tx.query(how)
          tx.release()
        }
        return { tx, commit: () => end('commit'), rollback: () => end('rollback') }
      },
      another: async () => openStore(open()),
      async cleanup() {
        await Promise.all(pools.map((each) => each.end()))
        await drop()
      },
    }
  }
}

const REMOTE_APPLY = '-c synchronous_commit=remote_apply'

/** Reads a page, so that the primary's log position is read, and waits until it is old enough to ask the replica. */
async function untilReplicaReads({ events }: PostgresStore): Promise<void> {
  const request = { accountId: '', mode: 'live', type: undefined, after: undefined, limit: 1, horizonMs: 0 } as const
  await events.pageEvents({ ...request, personalData: false })
  await delay(150)
}

/** Creates a memory store whose clock stands still. */
export async function referenceFixture(): Promise<RunnerFixture> {
  let time = 0
  return {
    store: createMemoryStore({ now: () => time }),
    stopClock(at) {
      time = at
    },
    cleanup() {},
  }
}

/**
 * A session keeps the plans of functions whose schema is gone, and each change of a schema looks at all of them. So a
 * test takes ten times as long after 200 schemas as after the first.
 */
const SCHEMAS_OF_A_PGLITE = 10

/** Creates fixtures in a PGlite, each in a schema of its own. */
export function pgliteFixtures(): () => Promise<TransactionFixture<SqlClient> & Pick<RunnerFixture, 'stopClock'>> {
  let pglite: PGlite | undefined
  let schemas = 0
  let open = 0
  return async () => {
    if (schemas >= SCHEMAS_OF_A_PGLITE && open === 0) {
      await pglite?.close()
      pglite = undefined
      schemas = 0
    }
    pglite ??= await PGlite.create()
    const database = pglite
    const schema = `callboard_${++schemas}`
    open++
    await migrate(database, { schema })
    let moved = 0
    return {
      store: createPostgresStore({ pglite: database, schema }),
      async advance(ms) {
        moved += ms
        await database.exec(moveClock(schema, moved))
      },
      async stopClock(at) {
        await database.exec(stopClock(schema, at))
      },
      begin: () => holdOpen((work) => database.transaction(work)),
      async cleanup() {
        // Every change of a schema invalidates all prepared statements, also those of schemas that are gone.
        await database.exec(`drop schema ${schema} cascade; deallocate all`)
        open--
      },
    }
  }
}
