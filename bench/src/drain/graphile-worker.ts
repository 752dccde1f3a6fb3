import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { CONCURRENCY, type Rival, type RivalJob } from './rival.ts'

const TASK = 'deliver'
const logger = new Logger(() => () => undefined)

/**
 * graphile-worker. It fetches and completes jobs in batches, as https://worker.graphile.org/docs/performance recommends
 * for throughput. It uses prepared statements by default.
 */
export const graphileWorker: Rival = {
  async fill(pool, connectionString, jobs) {
    await pool.query('drop schema if exists graphile_worker cascade')
    const utils = await makeWorkerUtils({ connectionString, logger })
    await utils.migrate()
    await utils.addJobs(jobs.map((payload) => ({ identifier: TASK, payload })))
    await utils.release()
  },
  async work(connectionString, deliver) {
    const batches = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
    await run({
      preset: { worker: { connectionString, concurrentJobs: CONCURRENCY, ...batches } },
      logger,
      noHandleSignals: true,
      taskList: { [TASK]: (payload) => deliver(payload as RivalJob) },
    })
  },
}
