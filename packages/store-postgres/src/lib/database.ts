import type { Statement } from './statements/statement.ts'

/** What the caller's own transaction must be able to do: a `pg` client, PGlite, or its transaction. */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** Runs statements, on any connection or on the one of a transaction. */
export interface Runner {
  run<Row>(statement: Statement<Row>, values: unknown[]): Promise<Row[]>
}

/** A Postgres that the store talks to. */
export interface Database extends Runner {
  /**
   * Runs `work` in one READ COMMITTED transaction; rolls back and throws when it throws. After a deadlock or serialisation failure
   * it is run again, at most three times in all.
   */
  transaction<Result>(work: (tx: Runner) => Promise<Result>): Promise<Result>
  /** Runs statements within a transaction of the caller's own. */
  join(client: SqlClient): Runner
  /** Calls back when a channel is notified, where this database can tell; a hint, never to be relied on. Returns how to stop. */
  listen(channel: string, onNotice: () => void): () => void
}
