// The process of `startWorkerChild`: runs a worker, carries out the faults (strikes) that its parent chose, and reports
// them.
import { once } from 'node:events'
import { createCallboard, isCallboardError } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createHttpsTransport, startWorker, type Transport, type Worker } from '@callboard/delivery'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { catalog } from './sample-catalog.ts'
import { aprilCatalog, versionedCatalog } from './versioned-catalog.ts'
import type { Strike, WorkerAsk, WorkerChildOptions, WorkerLook, WorkerTells } from './worker-child.ts'

const tell = (message: WorkerTells): void => void process.send?.(message)

/** Kills the process, blocks it, or delays this one send until the parent releases it. */
async function strike({ does }: Strike): Promise<void> {
  if (does === 'kill') process.kill(process.pid, 'SIGKILL')
  if (does === 'hold') {
    let asked: WorkerAsk | undefined
    while (asked !== 'let go') [asked] = await once(process, 'message')
  }
  if (typeof does === 'object') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, does.blockMs)
}

function withStrikes(transport: Transport, strikes: readonly Strike[]): Transport {
  const left = new Set(strikes)
  const reach = async (at: Strike['at'], eventId: string): Promise<void> => {
    for (const each of left) {
      if (each.at !== at || (each.eventId !== undefined && each.eventId !== eventId)) continue
      left.delete(each)
      // The report is sent before the strike, because a killed process can no longer send it.
      await new Promise((sent) => process.send?.({ reached: at, eventId } satisfies WorkerTells, undefined, {}, sent))
      await strike(each)
    }
  }
  return {
    ...transport,
    async send(request, signal) {
      const eventId = String(request.headers['webhook-id'])
      await reach('before send', eventId)
      const outcome = await transport.send(request, signal)
      await reach('after response', eventId)
      return outcome
    },
  }
}

const CATALOGUES = { april: aprilCatalog, versioned: versionedCatalog }

async function run(options: WorkerChildOptions): Promise<void> {
  const { url, schema, ca, k1, strikes = [], clockOffsetMs = 0, pool: poolOptions, store: storeOptions } = options
  const { catalogue } = options
  const { deadlineMs } = options.worker
  const pool = new Pool({ connectionString: url, max: 3, ...poolOptions })
  const callboard = createCallboard({
    catalog: catalogue === undefined ? catalog : CATALOGUES[catalogue],
    store: createPostgresStore({ pool, schema, ...storeOptions }),
    secretKeys: { current: 'k1', keys: { k1 } },
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    now: () => Date.now() + clockOffsetMs,
    onError: (error) => tell({ error: isCallboardError(error) ? error.code : String(error) }),
    log: ({ message, fields }) => tell({ log: message, fields }),
  })
  const transport = createHttpsTransport({
    addressPolicy: engineOf(callboard).targets,
    deadlineMs,
    extraCaCertificates: [ca],
  })
  const worker = await startWorker(callboard, {
    pollMs: 5,
    ...options.worker,
    transport: withStrikes(transport, strikes),
  })
  const look = (): WorkerLook => ({
    health: worker.health(),
    pool: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    heapUsed: process.memoryUsage().heapUsed,
  })
  process.on('message', (ask: WorkerAsk) => ask === 'look' && tell({ look: look() }))
  tell({ started: true })
  await stopped(worker)
  await transport.close()
  await pool.end()
  process.disconnect?.()
}

/** Stops as platforms do: the first signal lets deliveries in flight finish, and a second one aborts them. */
async function stopped(worker: Worker): Promise<void> {
  process.on('SIGTERM', () => void worker.stop())
  await worker.stopped
}

process.once('message', run)
// The process ends when its test does.
process.once('disconnect', () => process.exit())
