// A process that sequences the outbox until it is empty, as one worker does, on a connection of its own.
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { answer } from '../lib/helper.ts'

export type SequencingAsk = { readonly open: string } | { readonly go: true }

export interface SequencingAnswer {
  /** The process id of the server's process for this connection. */
  readonly pid: number
  readonly sequenced: number
}

const AT_ONCE = 500

let pool = new Pool({ max: 1 })
let store = createPostgresStore({ pool })
let pid = 0

async function isEmpty(): Promise<boolean> {
  return (await pool.query('select from callboard.outbox limit 1')).rows.length === 0
}

answer<SequencingAsk, SequencingAnswer>(async (ask) => {
  let sequenced = 0
  if ('open' in ask) {
    pool = new Pool({ connectionString: ask.open, max: 1, idleTimeoutMillis: 0 })
    store = createPostgresStore({ pool })
    pid = (await pool.query('select pg_backend_pid() as pid')).rows[0].pid
  } else {
    for (;;) {
      const { sequenced: count } = await store.deliveries.sequence(AT_ONCE)
      sequenced += count
      if (count === 0 && (await isEmpty())) break
    }
  }
  return { pid, sequenced }
})
