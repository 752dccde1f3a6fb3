import type { Database, Runner, SqlClient } from './database.ts'
import type { PGliteFolder } from './folder-lock.ts'
import { joinClient } from './pg-database.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** The part of PGlite that Callboard uses; a type test checks it against the real type. */
export interface PGliteLike extends SqlClient, PGliteFolder {
  transaction<Result>(work: (tx: SqlClient) => Promise<Result>): Promise<Result | undefined>
}

/** Runs the SQL that is written for `pg` on PGlite's only connection. */
export function createPgliteDatabase(pglite: PGliteLike, schema: string): Database {
  const runner = joinClient(pglite, schema)
  return {
    embedded: true,
    isPooled: () => false,
    run: (statement, parameters) => retryConflicts(() => runner.run(statement, parameters)),
    async transaction<Result>(work: (tx: Runner) => Promise<Result>) {
      const results: Result[] = []
      await retryConflicts(() =>
        pglite.transaction(async (tx) => {
          results[0] = await work(joinClient(tx, schema))
        }),
      )
      const [result] = results
      return result as Result
    },
    join: (client) => joinClient(client, schema),
    // PGlite runs within one process, so all publishers are in this process and wake its worker directly.
    listen(_, { onSession }) {
      onSession(undefined)
      return () => undefined
    },
  }
}
