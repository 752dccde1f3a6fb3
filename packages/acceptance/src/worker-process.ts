// A worker in a process of its own, which a test can kill. Sending the event `killer` kills it from within.
import { createCallboard } from '@callboard/core'
import { createHttpsTransport, startWorker } from '@callboard/delivery'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { catalog } from './sample-catalog.ts'

export interface WorkerProcessOptions {
  readonly url: string
  readonly schema: string
  readonly ca: string
  readonly deadlineMs: number
  readonly leaseMs: number
  readonly retrySchedule: readonly number[]
  /** Ring key `k1`, in base64. */
  readonly k1: string
  readonly killer?: string | undefined
}

process.once('message', async (options: WorkerProcessOptions) => {
  const { url, schema, ca, deadlineMs, leaseMs, retrySchedule, k1, killer } = options
  const callboard = createCallboard({
    catalog,
    store: createPostgresStore({ pool: new Pool({ connectionString: url, max: 3 }), schema }),
    secretKeys: { current: 'k1', keys: { k1 } },
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
  })
  const transport = createHttpsTransport({ addressPolicy: callboard.targets, deadlineMs, extraCaCertificates: [ca] })
  await startWorker(callboard, {
    deadlineMs,
    leaseMs,
    retrySchedule,
    pollMs: 5,
    transport: {
      ...transport,
      send(request, signal) {
        if (request.headers['webhook-id'] === killer) process.kill(process.pid, 'SIGKILL')
        return transport.send(request, signal)
      },
    },
  })
})
// A test that ended takes its workers with it.
process.once('disconnect', () => process.exit())
