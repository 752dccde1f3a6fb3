import { Logger, run, runMigrations } from 'graphile-worker'
import { Pool } from 'pg'
import { createSignedSender } from '../lib/signed-sender.ts'
import type { Roles } from './roles.ts'

interface Job {
  readonly id: string
  readonly url: string
  readonly body: string
}

/** Creates the tables of graphile-worker, and one for attempts. */
export async function migrateGraphile(connectionString: string, pool: Pool): Promise<void> {
  await runMigrations({ connectionString })
  await pool.query(`create table attempts (
    id bigint generated always as identity primary key,
    event_id text not null,
    status int not null,
    at timestamptz not null default now()
  )`)
}

/**
 * graphile-worker with the settings that its documentation recommends for the lowest latency. Jobs are added with SQL
 * on a pool, announced with NOTIFY and fetched with prepared statements. There is no local queue or completion delay.
 */
export const graphileRoles: Roles = {
  async work({ url, ca }) {
    const pool = new Pool({ connectionString: url, max: 60 })
    pool.on('error', (error) => console.error(error))
    const { send } = createSignedSender(ca)
    await run({
      pgPool: pool,
      concurrency: 50,
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
      taskList: {
        async deliver(payload) {
          const job = payload as Job
          const { status } = await send({ ...job, body: Buffer.from(job.body) })
          const values = [job.id, status]
          await pool.query({ name: 'attempt', text: 'insert into attempts (event_id, status) values ($1, $2)', values })
        },
      },
    })
  },
  publisher({ url, targets }) {
    const pool = new Pool({ connectionString: url })
    const note = 'x'.repeat(706)
    return async (n) => {
      const id = `job_${n}`
      const job: Job = { id, url: targets[n % targets.length] ?? '', body: JSON.stringify({ id, data: { note } }) }
      const text = `select graphile_worker.add_job('deliver', $1::json)`
      await pool.query({ name: 'add', text, values: [JSON.stringify(job)] })
      return id
    }
  },
}
