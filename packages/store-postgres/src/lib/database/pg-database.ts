import { createHash } from 'node:crypto'
import { arrayLiteral } from '../sql/array-literal.ts'
import { compile } from '../sql/compile.ts'
import type { Statement } from '../sql/statement.ts'
import { createAccountQueues } from './account-queues.ts'
import type { Database, Runner, SqlClient } from './database.ts'
import { endsConnection } from './failures.ts'
import { watchLocks } from './lock-watch.ts'
import { keepListening, type PgListener } from './pg-listener.ts'
import { connect, isDirect, listenTo, type PgPool, type PgQuery, query } from './pg-pool.ts'
import { retryConflicts } from './retry-conflicts.ts'

/**
 * Time limits are also set on the server, for two reasons. If a process stalls within a transaction, the server must
 * release its locks, because the sequencer may be waiting for one. If a client has given up on a statement, the server
 * must end it, because otherwise each retry would occupy another backend.
 */
const begin = (timeoutMs: number): string =>
  'begin isolation level read committed; set local lock_timeout = 5000; ' +
  'set local idle_in_transaction_session_timeout = 5000; ' +
  `set local statement_timeout = ${Math.ceil(timeoutMs)}`

/** The pages of one account use at most this share of the pool's connections, but at least one. */
const SHARE_OF_POOL = 1 / 4
/** The value of `pg` for a pool's option `max`. */
const DEFAULT_MAX = 10

/** After this many milliseconds without traffic, the client tests whether the server is still there. */
const KEEP_ALIVE_MS = 5_000

export interface PgDatabaseOptions {
  readonly schema: string
  /** Whether to prepare statements by name; undefined: only if the connections do not lead through a pooler. */
  readonly prepare: boolean | undefined
  /** Whether to listen on a connection outside the pool; undefined: only if it does not lead through a pooler. */
  readonly notify: boolean | undefined
  /**
   * How long one call may take in total, in milliseconds, including waiting for a connection and retries after
   * conflicts.
   */
  readonly queryTimeoutMs: number
}

export function createPgDatabase(
  pool: PgPool,
  { schema, prepare, notify, queryTimeoutMs }: PgDatabaseOptions,
): Database {
  const pooled = listenTo(pool)
  // Stores on other schemas may share the pool. Postgres compares only the first 63 characters of a statement's name,
  // and the schema's name may be that long.
  const prefix = createHash('sha256').update(schema).digest('hex').slice(0, 16)
  const inQueue = createAccountQueues(Math.max(1, Math.floor(maxOf(pool.options) * SHARE_OF_POOL)))
  /** Whether connections lead to the server itself; undefined until the first connection has shown it. */
  let direct: boolean | undefined

  const queryOf = <Parameters extends object>(
    statement: Statement<unknown, Parameters>,
    parameters: Parameters,
  ): PgQuery => {
    const { text, values } = compile(statement, schema)
    const query = { text, values: values(parameters).map(arrayLiteral) }
    return (prepare ?? direct) === true ? { ...query, name: `${prefix}.${statement.name}` } : query
  }

  /** Runs `work` once, on one connection. Afterwards the connection is released, or closed if it is lost. */
  const once = async <Result>(
    left: () => number,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> => {
    const { client, release } = await connect(pool, left())
    let lost: Error | undefined
    try {
      direct ??= await isDirect(client, left())
      return await work({
        plain: (text) => query(client, { text, values: [] }, left()),
        async run<Row, Parameters extends object>(statement: Statement<Row, Parameters>, parameters: Parameters) {
          return (await query(client, queryOf(statement, parameters), left())) as Row[]
        },
      })
    } catch (error) {
      if (endsConnection(error)) lost = error
      throw error
    } finally {
      release(lost)
    }
  }

  /**
   * Repeats `work` after a conflict, with one time limit for all runs together. A caller never waits longer than that
   * limit.
   */
  const bounded = <Result>(
    work: (connection: Connection) => Promise<Result>,
    until = performance.now() + queryTimeoutMs,
  ): Promise<Result> => retryConflicts(() => once(() => Math.max(1, until - performance.now()), work))

  const transaction = async <Result>(
    connection: Connection,
    work: (tx: Runner) => Promise<Result>,
    timeoutMs = queryTimeoutMs,
  ): Promise<Result> => {
    await connection.plain(begin(timeoutMs))
    try {
      const result = await work(connection)
      await connection.plain('commit')
      return result
    } catch (error) {
      // A lost connection needs no rollback: it is closed, and the server then rolls back by itself.
      if (!endsConnection(error)) await connection.plain('rollback')
      throw error
    }
  }

  return {
    embedded: false,
    isPooled: () => direct === false,
    run(statement, parameters) {
      const { page, timeoutMs } = statement
      const until = performance.now() + queryTimeoutMs
      const run = (runner: Runner) => runner.run(statement, parameters)
      const work = (connection: Connection) =>
        timeoutMs === undefined ? run(connection) : transaction(connection, run, Math.min(timeoutMs, queryTimeoutMs))
      const read = () => bounded(work, until)
      const account = page === true && 'accountId' in parameters ? parameters.accountId : undefined
      return typeof account === 'string' ? inQueue(account, queryTimeoutMs, read) : read()
    },
    transaction: (work) => bounded((connection) => transaction(connection, work)),
    // Uses prepared statements only on clients of this pool. Another client might lose them, for example behind a
    // pooler.
    join(client: SqlClient) {
      const own = pooled.get(client)
      return own === undefined
        ? joinClient(client, schema)
        : {
            async run<Row, Parameters extends object>(statement: Statement<Row, Parameters>, parameters: Parameters) {
              const { rows } = await own.query(queryOf(statement, parameters))
              return rows as Row[]
            },
          }
    },
    listen(channel, hooks) {
      const { Client, options } = pool
      if (notify !== false && Client !== undefined) {
        const open = (): PgListener => new Client(withKeepAlive(options))
        return keepListening(channel, open, hooks, { throughPooler: notify === true })
      }
      hooks.onSession(undefined)
      return () => undefined
    },
    watchLocks: (onEnd) =>
      watchLocks(
        schema,
        () => (pool.Client === undefined ? undefined : new pool.Client(withKeepAlive(pool.options))),
        onEnd,
      ),
  }
}

function maxOf(options: unknown): number {
  const max = typeof options === 'object' && options !== null && 'max' in options ? options.max : undefined
  return typeof max === 'number' ? max : DEFAULT_MAX
}

/**
 * Returns the pool's options with TCP keep-alive switched on, for a connection that may be silent for a long time.
 * Copies property by property, because `pg-pool` hides the password from enumeration, and a spread would lose it.
 */
function withKeepAlive(options: unknown): unknown {
  const copy: object = Object.defineProperties({}, Object.getOwnPropertyDescriptors(Object(options)))
  return Object.assign(copy, { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS })
}

interface Connection extends Runner {
  plain(text: string): Promise<unknown>
}

/**
 * Runs statements on the caller's own client, without preparing them, because not every client can prepare statements.
 */
export function joinClient(client: SqlClient, schema: string): Runner {
  return {
    async run<Row, Parameters extends object>(statement: Statement<Row, Parameters>, parameters: Parameters) {
      try {
        const { text, values } = compile(statement, schema)
        const { rows } = await client.query(text, values(parameters).map(arrayLiteral))
        return rows as Row[]
      } catch (error) {
        // PGlite attaches the statement's parameters to its errors. They may include personal data.
        if (error instanceof Error && 'params' in error) delete error.params
        throw error
      }
    },
  }
}
