import { PgBoss } from 'pg-boss'
import { CONCURRENCY, type Rival, type RivalJob } from './rival.ts'

const QUEUE = 'deliver'
const BATCH = 50

/** pg-boss. Each of its workers takes the next batch at once if the previous batch was full (`burstWhenBatchFull`). */
export const pgBoss: Rival = {
  async fill(pool, connectionString, jobs) {
    await pool.query('drop schema if exists pgboss cascade')
    const boss = await start(connectionString)
    await boss.createQueue(QUEUE)
    const inserts = jobs.map((data) => ({ data }))
    await boss.insert(QUEUE, inserts)
    await boss.stop()
  },
  async work(connectionString, deliver) {
    const boss = await start(connectionString)
    const pace = { batchSize: BATCH, localConcurrency: CONCURRENCY / BATCH, pollingIntervalSeconds: 0.5 }
    await boss.work<RivalJob>(QUEUE, { ...pace, burstWhenBatchFull: true }, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => deliver(data)))
    })
  },
}

/** Starts pg-boss without its maintenance and cron, which would only slow it down here. */
function start(connectionString: string): Promise<PgBoss> {
  return new PgBoss({ connectionString, supervise: false, schedule: false }).start()
}
