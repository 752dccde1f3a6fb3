import type { Statement } from './statements/statement.ts'

/**
 * What Callboard needs of a caller's transaction. A `pg` client, a PGlite database and a PGlite transaction all have
 * it.
 */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** Runs statements on any connection, or on a transaction's own connection. */
export interface Runner {
  run<Row, Parameters extends object>(
    statement: Statement<Row, Parameters>,
    parameters: NoInfer<Parameters>,
  ): Promise<Row[]>
}

/** The database of a store. */
export interface Database extends Runner {
  /**
   * Runs `work` in one READ COMMITTED transaction; rolls back and rethrows if it throws. After a deadlock or a
   * serialisation failure it runs again, at most three times in total.
   */
  transaction<Result>(work: (tx: Runner) => Promise<Result>): Promise<Result>
  /** Runs statements within the caller's own transaction. */
  join(client: SqlClient): Runner
  /**
   * Calls back when a channel is notified, if this database supports that. Only a hint: callers must also poll. Returns
   * a function that stops listening.
   */
  listen(channel: string, onNotice: () => void): () => void
}
