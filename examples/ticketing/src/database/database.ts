import type { PostgresStore, SqlClient } from '@callboard/store-postgres'
import type * as z from 'zod'

/** The platform's database, which Callboard shares. */
export interface Database {
  /** Its location for the start-up log, without a password. */
  readonly place: string
  readonly store: PostgresStore
  query<Row>(row: z.ZodType<Row>, text: string, values?: unknown[]): Promise<Row[]>
  /** Commits the work or rolls it back; `publish` joins the transaction through the client. */
  transaction<Result>(work: (tx: SqlClient) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Parses rows at the border, like every other input. */
export async function rowsOf<Row>(
  client: SqlClient,
  row: z.ZodType<Row>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query(text, values)
  return rows.map((each) => row.parse(each))
}
