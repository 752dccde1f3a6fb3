import type { Statement } from '../sql/statement.ts'

/**
 * The method that Callboard needs of a caller's transaction: a `pg` client on which `begin` was run, or a PGlite
 * transaction. Pass the transaction of another library to its adapter, such as {@link fromDrizzle}.
 */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /** Only a pool of `pg` has this. A pool runs each statement on any free connection, so outside the transaction. */
  readonly totalCount?: never
}

/** Runs statements, either each on any free connection or all on the connection of one transaction. */
export interface Runner {
  run<Row, Parameters extends object>(
    statement: Statement<Row, Parameters>,
    parameters: NoInfer<Parameters>,
  ): Promise<Row[]>
}

/** The events of a connection that listens. */
export interface ListenerHooks {
  /** Called when the channel is notified, with the notice's payload. */
  onNotice(payload: string): void
  /**
   * Called when the connection starts to listen, with the key of the advisory lock that it holds; undefined if it holds
   * none. Called with undefined whenever the connection ends, and once if no connection is opened.
   */
  onSession(session: string | undefined): void
}

/** Waits for an advisory lock of another session. */
export interface LockWatch {
  /** Sets the key of the lock; undefined for none. */
  watch(key: string | undefined): void
  /** The key of the lock for which the connection waits now. */
  watched(): string | undefined
  stop(): void
}

/** The database of a store. */
export interface Database extends Runner {
  /** Whether the database runs in this process, so that it ends whenever its worker does. */
  readonly embedded: boolean
  /** Whether a statement has shown that connections lead through a pooler, such as PgBouncer. */
  isPooled(): boolean
  /**
   * Runs `work` in one READ COMMITTED transaction. If `work` throws, rolls back and throws the same error. After a
   * deadlock or a serialisation failure, `work` runs again, at most three times in total.
   */
  transaction<Result>(work: (tx: Runner) => Promise<Result>): Promise<Result>
  /** Runs statements within the caller's own transaction. */
  join(client: SqlClient): Runner
  /**
   * Listens to a channel on a dedicated connection, if this database supports notices. A notice is only a hint, so
   * callers must also poll. Returns a function that stops listening.
   */
  listen(channel: string, hooks: ListenerHooks): () => void
  /**
   * Waits for locks of other sessions on a dedicated connection, which is opened when it is first needed. Calls `onEnd`
   * when a wait has ended: nobody holds the lock, or the connection is lost, so that the lock is no longer watched.
   */
  watchLocks(onEnd: () => void): LockWatch
}
