import { arrayLiteral } from './array-literal.ts'
import type { Database, Runner, SqlClient } from './database.ts'
import { endsConnection, unavailable } from './failures.ts'
import { keepListening, type PgListener } from './pg-listener.ts'
import { retryConflicts } from './retry-conflicts.ts'
import { inSchema } from './schema-name.ts'
import type { Statement } from './statements/statement.ts'

/**
 * Bounded on the server too: a process that stops in the middle of a transaction must not keep its locks, one of which the
 * sequencer waits for; and a backend whose client has given up would otherwise go on, one more for each try.
 */
const begin = (timeoutMs: number): string =>
  `begin isolation level read committed; set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 5000; set local statement_timeout = ${Math.ceil(timeoutMs)}`

interface PgQuery {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
  readonly query_timeout?: number
}

interface PgClient {
  query(query: PgQuery): Promise<{ rows: unknown[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
}

type PgRelease = (error?: Error | boolean) => void

/** The part of a `pg` pool that is used; a type test pins it to the real one. */
export interface PgPool {
  connect(taken: (error: Error | undefined, client: PgClient | undefined, release: PgRelease) => void): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'acquire', listener: (client: PgClient) => void): unknown
  /** What its connections are made of, and how: one more is made to listen on. */
  readonly Client?: (new (options: unknown) => PgListener) | undefined
  readonly options?: unknown
}

export interface PgDatabaseOptions {
  readonly schema: string
  /** Whether statements are prepared by name. Not behind a PgBouncer in transaction mode that cannot track them. */
  readonly prepare: boolean
  /** Whether to listen to notices, on a connection beside those of the pool. */
  readonly notify: boolean
  /** How long one piece of work may take in all, the wait for a connection and the tries after conflicts included. */
  readonly queryTimeoutMs: number
}

export function createPgDatabase(
  pool: PgPool,
  { schema, prepare, notify, queryTimeoutMs }: PgDatabaseOptions,
): Database {
  const pooled = listenTo(pool)
  const queries = new Map<Statement<unknown>, Pick<PgQuery, 'name' | 'text'>>()

  const queryOf = (statement: Statement<unknown>): Pick<PgQuery, 'name' | 'text'> => {
    const known = queries.get(statement)
    if (known !== undefined) return known
    const text = inSchema(statement.text, schema)
    const made = prepare ? { name: `${schema}.${statement.name}`, text } : { text }
    queries.set(statement, made)
    return made
  }

  /** One try on one connection, which is given back, or closed when it is lost. */
  const once = async <Result>(
    left: () => number,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> => {
    const { client, release } = await connect(pool, left())
    let lost: Error | undefined
    try {
      return await work({
        plain: (text) => client.query({ text, values: [], query_timeout: left() }),
        async run<Row>(statement: Statement<Row>, values: unknown[]) {
          const { rows } = await client.query({
            ...queryOf(statement),
            values: values.map(arrayLiteral),
            query_timeout: left(),
          })
          return rows as Row[]
        },
      })
    } catch (error) {
      if (endsConnection(error)) lost = error
      throw error
    } finally {
      release(lost)
    }
  }

  /** Tries again after conflicts, all within one time-out: a caller never waits longer, whatever the database does. */
  const bounded = <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
    const until = performance.now() + queryTimeoutMs
    return retryConflicts(() => once(() => Math.max(1, until - performance.now()), work))
  }

  return {
    run: (statement, values) => bounded((connection) => connection.run(statement, values)),
    transaction: (work) =>
      bounded(async (connection) => {
        await connection.plain(begin(queryTimeoutMs))
        try {
          const result = await work(connection)
          await connection.plain('commit')
          return result
        } catch (error) {
          // A lost connection takes no rollback and needs none: waiting for its answer would double the time-out.
          if (!endsConnection(error)) await connection.plain('rollback')
          throw error
        }
      }),
    // A client of this pool is prepared on as any other of it; somebody else's may not keep what was prepared.
    join(client: SqlClient) {
      const own = pooled.get(client)
      return own === undefined
        ? joinClient(client, schema)
        : {
            async run<Row>(statement: Statement<Row>, values: unknown[]) {
              const { rows } = await own.query({ ...queryOf(statement), values: values.map(arrayLiteral) })
              return rows as Row[]
            },
          }
    },
    listen(channel, onNotice) {
      const { Client, options } = pool
      return notify && Client !== undefined
        ? keepListening(channel, () => new Client(options), onNotice)
        : () => undefined
    },
  }
}

interface Connection extends Runner {
  plain(text: string): Promise<unknown>
}

interface Taken {
  readonly client: PgClient
  /** Gives it back; closes it when it is lost. */
  release(lost: Error | undefined): void
}

/**
 * A pool without a time-out of its own lets its callers wait for ever. A client that comes too late goes straight back.
 *
 * By callback, so that its errors have a listener at once: a server that shuts down may take a connection and end it in one
 * breath, and before a promise has told of the client, its error would have ended the process (measured).
 */
function connect(pool: PgPool, timeoutMs: number): Promise<Taken> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(unavailable(new Error('the pool had no connection to give in time')))
    }, timeoutMs)
    pool.connect((error, client, release) => {
      clearTimeout(timer)
      if (client === undefined) return reject(error)
      if (late) return release()
      let lost: Error | undefined
      const onLost = (reason: Error): void => {
        lost = reason
      }
      client.on('error', onLost)
      resolve({
        client,
        release(broken) {
          client.removeListener('error', onLost)
          release(broken ?? lost)
        },
      })
    })
  })
}

/** Statements on the caller's own client, unprepared: the least that any client can do. */
export function joinClient(client: SqlClient, schema: string): Runner {
  return {
    async run<Row>(statement: Statement<Row>, values: unknown[]) {
      try {
        const { rows } = await client.query(inSchema(statement.text, schema), values.map(arrayLiteral))
        return rows as Row[]
      } catch (error) {
        // PGlite hangs what it was given on its errors, personal data too.
        if (error instanceof Error && 'params' in error) delete error.params
        throw error
      }
    },
  }
}

const pooledClients = new WeakMap<PgPool, WeakMap<object, PgClient>>()

/**
 * The clients that a pool has given out since. A pool without a listener ends the process when an idle connection is lost, as at
 * every restart of the database.
 */
function listenTo(pool: PgPool): WeakMap<object, PgClient> {
  const known = pooledClients.get(pool)
  if (known !== undefined) return known
  const clients = new WeakMap<object, PgClient>()
  pooledClients.set(pool, clients)
  pool.on('error', () => undefined)
  pool.on('acquire', (client) => clients.set(client, client))
  return clients
}
