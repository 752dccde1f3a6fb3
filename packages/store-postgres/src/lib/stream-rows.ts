import { type Answered, answerInTime } from './answer-in-time.ts'
import type { PgQuery } from './pg-pool.ts'

/** The class of the queries that `pg` runs. */
export type PgQueryClass = new (query: PgQuery) => PgStreamedQuery

export interface PgStreamedQuery {
  readonly text: string
  callback?: Answered<unknown>
  on(event: 'row', listener: (row: unknown) => void): unknown
  /** Writes the messages of the query to the connection. `pg` calls it when the connection is free. */
  submit(connection: PgConnection): unknown
}

interface PgConnection {
  flush(): void
  sync(): void
}

export interface StreamRequest<Row> {
  readonly Query: PgQueryClass
  readonly query: PgQuery
  readonly timeoutMs: number
  readonly onRow: (row: Row) => void
}

/**
 * Runs a query and passes on each row as it arrives, before the transaction of the query has committed. Resolves after
 * the commit.
 *
 * The server commits when it reads the message `Sync`, and does not send the rows before that unless it reads a `Flush`
 * (PostgreSQL, "Extended Query"). `pg` has an option `rows` that sends a `Flush`, but then sends no `Sync` after an
 * error, so that the connection hangs.
 */
export async function streamRows<Row>(
  client: { query(query: PgStreamedQuery): unknown },
  { Query, query, timeoutMs, onRow }: StreamRequest<Row>,
): Promise<void> {
  await answerInTime<unknown>(timeoutMs, (answered) => {
    const streamed = new Query(query)
    const submit = streamed.submit.bind(streamed)
    streamed.submit = (connection) => submit(withFlush(connection))
    streamed.callback = answered
    streamed.on('row', (row) => {
      try {
        onRow(row as Row)
      } catch (error) {
        answered(error, undefined)
      }
    })
    client.query(streamed)
  })
}

/** Returns the connection with a `sync` that sends a `Flush` first. */
function withFlush(connection: PgConnection): PgConnection {
  return Object.create(connection, {
    sync: {
      value() {
        connection.flush()
        connection.sync()
      },
    },
  })
}
