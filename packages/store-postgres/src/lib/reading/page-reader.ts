import type { Runner } from '../database/database.ts'

/**
 * Runs statements that read pages. A page may be slightly out of date. Each statement must return at least one row,
 * because no row means that the replica cannot answer.
 */
export interface PageReader extends Runner {
  /** Whether the next statement is sent to a replica. */
  usesReplica(): boolean
}

/** Reads every page from the primary. */
export function primaryReader(primary: Runner): PageReader {
  return { run: (statement, parameters) => primary.run(statement, parameters), usesReplica: () => false }
}
