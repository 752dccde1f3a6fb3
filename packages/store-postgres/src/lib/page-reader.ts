import type { Runner } from './database.ts'

/** Runs statements that read pages, which may show a state from a moment ago. Each must return at least one row. */
export interface PageReader extends Runner {
  /** Whether the next statement is sent to a replica. */
  usesReplica(): boolean
}

/** Reads every page from the primary. */
export function primaryReader(primary: Runner): PageReader {
  return { run: (statement, parameters) => primary.run(statement, parameters), usesReplica: () => false }
}
