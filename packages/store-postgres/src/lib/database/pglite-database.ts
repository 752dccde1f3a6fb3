import { setImmediate as turn } from 'node:timers/promises'
import type { Database, SqlClient } from './database.ts'
import type { PGliteFolder } from './folder-lock.ts'
import { joinClient } from './pg-database.ts'
import { createPgliteRunner, type PGliteProtocol } from './pglite-runner.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** The part of PGlite that Callboard uses; a type test checks it against the real type. */
export interface PGliteLike extends SqlClient, PGliteProtocol, PGliteFolder {
  transaction<Result>(work: (tx: SqlClient) => Promise<Result>): Promise<Result | undefined>
}

/** Runs the SQL that is written for `pg` on PGlite's only connection, within PGlite's own transactions. */
export function createPgliteDatabase(pglite: PGliteLike, schema: string): Database {
  const runner = createPgliteRunner(pglite, schema)
  let last: Promise<unknown> = Promise.resolve()

  /**
   * Runs one transaction at a time, with a turn of the event loop after each. PGlite computes on this thread and
   * answers without such a turn, so a worker that always finds work would read no socket and fire no timer meanwhile.
   * Without the turns, 4,800 deliveries took 30 s instead of 6.
   */
  const transaction = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const run = last.then(() =>
      retryConflicts(async () => {
        const results: Result[] = []
        await pglite.transaction(async () => {
          results[0] = await work()
        })
        const [result] = results
        return result as Result
      }),
    )
    last = run.catch(() => undefined).then(() => turn())
    return run
  }

  return {
    embedded: true,
    isPooled: () => false,
    run: (statement, parameters) => transaction(() => runner.run(statement, parameters)),
    transaction: (work) => transaction(() => work(runner)),
    join: (client) => joinClient(client, schema),
    // PGlite runs within one process, so all publishers are in this process and wake its worker directly.
    listen(_, { onSession }) {
      onSession(undefined)
      return () => undefined
    },
    watchLocks: () => ({ watch: () => undefined, watched: () => undefined, stop: () => undefined }),
  }
}
