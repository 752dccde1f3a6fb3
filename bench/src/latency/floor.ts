import { createHttpsTransport } from '@callboard/delivery'
import { signSync } from '@callboard/signature'
import { Client, Pool } from 'pg'
import { BENCH_TARGETS } from '../lib/bench-callboard.ts'
import type { Roles } from './roles.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const CHANNEL = 'floor'

/** Creates the only table. */
export async function migrateFloor(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 })
  await pool.query(
    'create table floor (id bigint generated always as identity primary key, event_id text, url text, body text)',
  )
  await pool.end()
}

/**
 * The least that any queue in Postgres does between publishing and sending: an insert with NOTIFY, one prepared select
 * by primary key, a signature and a request. It claims and records nothing, so a crash would lose or repeat events.
 */
export const floorRoles: Roles = {
  async work({ url, ca }) {
    const pool = new Pool({ connectionString: url })
    const transport = createHttpsTransport({
      addressPolicy: BENCH_TARGETS,
      extraCaCertificates: [ca],
      resolve: async () => ['127.0.0.1'],
    })
    const deliver = async (id: string): Promise<void> => {
      const { rows } = await pool.query<{ event_id: string; url: string; body: string }>({
        name: 'look',
        text: 'select event_id, url, body from floor where id = $1',
        values: [id],
      })
      for (const row of rows) {
        const body = Buffer.from(row.body)
        const timestamp = Math.floor(Date.now() / 1000)
        const sent = await transport.send({
          url: row.url,
          body,
          headers: {
            'content-type': 'application/json',
            'webhook-id': row.event_id,
            'webhook-timestamp': String(timestamp),
            'webhook-signature': signSync({ id: row.event_id, timestamp, body, secret: SECRET }),
          },
        })
        if (sent.kind !== 'response') throw new Error(sent.reason)
      }
    }
    const listener = new Client({ connectionString: url })
    await listener.connect()
    listener.on('notification', ({ payload = '' }) => void deliver(payload))
    await listener.query(`listen ${CHANNEL}`)
  },
  async publisher({ url, targets }) {
    const pool = new Pool({ connectionString: url })
    const note = 'x'.repeat(706)
    return async (n) => {
      const id = `floor_${n}`
      await pool.query({
        name: 'add',
        text: `with added as (insert into floor (event_id, url, body) values ($1, $2, $3) returning id)
          select pg_notify('${CHANNEL}', id::text) from added`,
        values: [id, targets[n % targets.length], JSON.stringify({ id, data: { note } })],
      })
      return id
    }
  },
}
