import { PgBoss } from 'pg-boss'
import { withClient } from './postgres-client.ts'
import type { Rival, RivalJob } from './rival.ts'

const QUEUE = 'deliver'
const BATCH = 50

/** pg-boss. Each of its workers takes the next batch at once if the previous batch was full (`burstWhenBatchFull`). */
export const pgBoss: Rival = {
  async prepare({ postgres }) {
    await withClient(postgres, (client) => client.query('drop schema if exists pgboss cascade'))
    const boss = await start(postgres)
    await boss.createQueue(QUEUE)
    await boss.stop()
  },
  async openQueue({ postgres }) {
    const boss = await start(postgres)
    return {
      async add(jobs) {
        const inserts = jobs.map((data) => ({ data }))
        await boss.insert(QUEUE, inserts)
      },
      async close() {
        await boss.stop()
        await withClient(postgres, (client) => client.query('vacuum analyze pgboss.job'))
      },
    }
  },
  async work({ postgres }, { concurrency }, deliver) {
    const boss = await start(postgres)
    const batchSize = Math.min(BATCH, concurrency)
    const pace = { batchSize, localConcurrency: Math.ceil(concurrency / batchSize), pollingIntervalSeconds: 0.5 }
    await boss.work<RivalJob>(QUEUE, { ...pace, burstWhenBatchFull: true }, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => deliver(data)))
    })
  },
}

/** Starts pg-boss without its maintenance and cron, which would only slow it down here. */
function start(connectionString: string): Promise<PgBoss> {
  return new PgBoss({ connectionString, supervise: false, schedule: false }).start()
}
