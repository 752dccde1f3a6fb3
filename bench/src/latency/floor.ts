import { Client, Pool } from 'pg'
import { createSignedSender } from '../lib/signed-sender.ts'
import type { Roles } from './roles.ts'

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
    const { send } = createSignedSender(ca)
    const deliver = async (id: string): Promise<void> => {
      const { rows } = await pool.query<{ id: string; url: string; body: string }>({
        name: 'look',
        text: 'select event_id as id, url, body from floor where id = $1',
        values: [id],
      })
      for (const row of rows) await send({ ...row, body: Buffer.from(row.body) })
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
