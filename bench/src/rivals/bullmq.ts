import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { Rival, RivalJob, RivalServers } from './rival.ts'

const QUEUE = 'deliver'

/**
 * BullMQ. Finished jobs are removed at once, as its documentation recommends for speed. redis-server.ts starts its
 * Redis.
 */
export const bullmq: Rival = {
  async prepare(servers) {
    const redis = connect(servers)
    await redis.flushall()
    await redis.quit()
  },
  async openQueue(servers) {
    const connection = connect(servers)
    const queue = new Queue<RivalJob>(QUEUE, { connection })
    return {
      async add(jobs) {
        // Jobs are added a thousand at a time, because one call for all of them would block Redis for too long.
        for (let from = 0; from < jobs.length; from += 1000)
          await queue.addBulk(jobs.slice(from, from + 1000).map((data) => ({ name: QUEUE, data })))
      },
      async close() {
        await queue.close()
        await connection.quit()
      },
    }
  },
  async work(servers, { concurrency }, deliver) {
    const worker = new Worker<RivalJob>(QUEUE, ({ data }) => deliver(data), {
      connection: connect(servers),
      concurrency,
      removeOnComplete: { count: 0 },
    })
    await worker.waitUntilReady()
  },
}

function connect({ redis = '' }: RivalServers): Redis {
  return new Redis(redis, { maxRetriesPerRequest: null })
}
