import type { PostgresStore, SqlClient } from '@callboard/store-postgres'
import type * as z from 'zod'

/** The platform's database, which Callboard shares. */
export interface Database {
  /** The database's location for the start-up log, without a password. */
  readonly place: string
  readonly store: PostgresStore
  query<Row>(row: z.ZodType<Row>, text: string, values?: unknown[]): Promise<Row[]>
  /** Runs `work` in a transaction, and rolls back if `work` throws. `publish` can join the transaction through `tx`. */
  transaction<Result>(work: (tx: SqlClient) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Runs a query and parses its rows, because they are input like any other. */
export async function rowsOf<Row>(
  client: Pick<SqlClient, 'query'>,
  row: z.ZodType<Row>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query(text, values)
  return rows.map((each) => row.parse(each))
}
