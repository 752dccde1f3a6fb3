import { Logger, makeWorkerUtils, run, runMigrations } from 'graphile-worker'
import { withClient } from './postgres-client.ts'
import type { Rival, RivalJob } from './rival.ts'

const TASK = 'deliver'
const logger = new Logger(() => () => undefined)

/**
 * graphile-worker. It fetches and completes jobs in batches, as https://worker.graphile.org/docs/performance recommends
 * for throughput. If `soon` is set, it fetches jobs one by one, directly after each notification. It uses prepared
 * statements by default.
 */
export const graphileWorker: Rival = {
  async prepare({ postgres }) {
    await withClient(postgres, (client) => client.query('drop schema if exists graphile_worker cascade'))
    await runMigrations({ connectionString: postgres, logger })
  },
  async openQueue({ postgres }) {
    const utils = await makeWorkerUtils({ connectionString: postgres, logger })
    return {
      async add(jobs) {
        await utils.addJobs(jobs.map((payload) => ({ identifier: TASK, payload })))
      },
      async close() {
        await utils.release()
        await withClient(postgres, (client) => client.query('vacuum analyze graphile_worker._private_jobs'))
      },
    }
  },
  async work({ postgres }, { concurrency, soon }, deliver) {
    const batches = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
    await run({
      preset: { worker: { connectionString: postgres, concurrentJobs: concurrency, ...(soon ? {} : batches) } },
      logger,
      noHandleSignals: true,
      taskList: { [TASK]: (payload) => deliver(payload as RivalJob) },
    })
  },
}
