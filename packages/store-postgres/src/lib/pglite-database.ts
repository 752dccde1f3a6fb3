import type { Database, Runner, SqlClient } from './database.ts'
import { joinClient } from './pg-database.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** The part of PGlite that is used; a type test pins it to the real one. */
export interface PGliteLike extends SqlClient {
  transaction<Result>(work: (tx: SqlClient) => Promise<Result>): Promise<Result | undefined>
}

/** PGlite: the same SQL on its one connection. */
export function createPgliteDatabase(pglite: PGliteLike, schema: string): Database {
  const runner = joinClient(pglite, schema)
  return {
    run: (statement, values) => retryConflicts(() => runner.run(statement, values)),
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
    // Whoever publishes is in this process, and its worker is woken directly.
    listen: () => () => undefined,
  }
}
