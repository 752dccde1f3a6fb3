import type { Statement } from './statements/statement.ts'

/**
 * The method that Callboard needs of a caller's transaction. A `pg` client, a PGlite database and a PGlite transaction
 * all have it.
 */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** Runs statements, either each on any free connection or all on the connection of one transaction. */
export interface Runner {
  run<Row, Parameters extends object>(
    statement: Statement<Row, Parameters>,
    parameters: NoInfer<Parameters>,
  ): Promise<Row[]>
}

/** The database of a store. */
export interface Database extends Runner {
  /**
   * Runs `work` in one READ COMMITTED transaction. If `work` throws, rolls back and throws the same error. After a
   * deadlock or a serialisation failure, `work` runs again, at most three times in total.
   */
  transaction<Result>(work: (tx: Runner) => Promise<Result>): Promise<Result>
  /** Runs statements within the caller's own transaction. */
  join(client: SqlClient): Runner
  /**
   * Calls `onNotice` when a channel is notified, if this database supports notices. A notice is only a hint, so callers
   * must also poll. Returns a function that stops listening.
   */
  listen(channel: string, onNotice: () => void): () => void
}
