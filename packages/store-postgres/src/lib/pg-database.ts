import type { Database, Runner, SqlClient } from './database.ts'
import { toStoreError } from './failures.ts'
import { retryConflicts } from './retry-conflicts.ts'
import { inSchema } from './schema-name.ts'
import type { Statement } from './statements/statement.ts'

/**
 * Bounded on the server too: a process that stops in the middle of a transaction must not keep its locks, one of which the
 * sequencer waits for.
 */
const BEGIN =
  'begin isolation level read committed; set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 5000'

interface PgQuery {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
  readonly query_timeout: number
}

interface PgClient {
  query(query: PgQuery): Promise<{ rows: unknown[] }>
  release(error?: Error | boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
}

/** The part of a `pg` pool that is used; a type test pins it to the real one. */
export interface PgPool {
  query(query: PgQuery): Promise<{ rows: unknown[] }>
  connect(): Promise<PgClient>
  on(event: 'error', listener: (error: Error) => void): unknown
}

export interface PgDatabaseOptions {
  readonly schema: string
  /** Whether statements are prepared by name. Not behind a PgBouncer in transaction mode that cannot track them. */
  readonly prepare: boolean
  readonly queryTimeoutMs: number
}

export function createPgDatabase(pool: PgPool, { schema, prepare, queryTimeoutMs }: PgDatabaseOptions): Database {
  surviveLostConnections(pool)
  const queries = new Map<Statement<unknown>, Omit<PgQuery, 'values'>>()

  const queryOf = (statement: Statement<unknown>): Omit<PgQuery, 'values'> => {
    const known = queries.get(statement)
    if (known !== undefined) return known
    const text = inSchema(statement.text, schema)
    const made = prepare
      ? { name: `${schema}.${statement.name}`, text, query_timeout: queryTimeoutMs }
      : { text, query_timeout: queryTimeoutMs }
    queries.set(statement, made)
    return made
  }
  const plain = (client: PgClient, text: string): Promise<unknown> =>
    client.query({ text, values: [], query_timeout: queryTimeoutMs })

  const once = async <Result>(work: (tx: Runner) => Promise<Result>): Promise<Result> => {
    const client = await pool.connect()
    let broken: Error | undefined
    // A connection that is lost between two statements says so by an event; without a listener it ends the process.
    const onLost = (error: Error): void => {
      broken = error
    }
    client.on('error', onLost)
    try {
      await plain(client, BEGIN)
      const result = await work({
        async run<Row>(statement: Statement<Row>, values: unknown[]) {
          const { rows } = await client.query({ ...queryOf(statement), values })
          return rows as Row[]
        },
      })
      await plain(client, 'commit')
      return result
    } catch (error) {
      await plain(client, 'rollback').catch((failure: unknown) => {
        broken = failure instanceof Error ? failure : new Error('rollback failed')
      })
      throw error
    } finally {
      client.removeListener('error', onLost)
      // A connection whose state is unknown is closed, not reused.
      client.release(broken)
    }
  }

  return {
    async run<Row>(statement: Statement<Row>, values: unknown[]) {
      try {
        const { rows } = await retryConflicts(() => pool.query({ ...queryOf(statement), values }))
        return rows as Row[]
      } catch (error) {
        throw toStoreError(error)
      }
    },
    transaction: (work) => retryConflicts(() => once(work)),
    join: (client: SqlClient) => joinClient(client, schema),
  }
}

/** Statements on the caller's own client, unprepared: the least that any client can do. */
export function joinClient(client: SqlClient, schema: string): Runner {
  return {
    async run<Row>(statement: Statement<Row>, values: unknown[]) {
      const { rows } = await client.query(inSchema(statement.text, schema), values)
      return rows as Row[]
    },
  }
}

const listenedTo = new WeakSet<PgPool>()

/** A pool without a listener ends the process when an idle connection is lost, as at every restart of the database. */
function surviveLostConnections(pool: PgPool): void {
  if (listenedTo.has(pool)) return
  listenedTo.add(pool)
  pool.on('error', () => undefined)
}
