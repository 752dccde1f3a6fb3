import type { Sink } from '../lib/sink.ts'
import { makeAttempts } from './attempt-log.ts'
import type { RivalJob, RivalServers } from './rival.ts'
import { startRivalWorker } from './rival-worker.ts'
import { RIVALS, type RivalName } from './rivals.ts'

export interface RivalDrain {
  readonly name: RivalName
  readonly servers: RivalServers
  /** A fresh one: it counts what it has received from its start. */
  readonly sink: Sink
  readonly jobs: readonly RivalJob[]
  /** How many jobs run at one time; 100 by default: of 10, 50, 100 and 200 the best here for two of the three, and within 6 % of it for BullMQ. */
  readonly concurrency?: number | undefined
}

/** Part of the jobs that warms up: code is compiled and connections are opened. */
const WARM_UP = 0.2

/** Queues all jobs, then lets one worker process take them as fast as it can. Resolves to the deliveries in a second. */
export async function drainRival({ name, servers, sink, jobs, concurrency = 100 }: RivalDrain): Promise<number> {
  const rival = RIVALS[name]
  await makeAttempts(servers.postgres)
  await rival.prepare(servers)
  const queue = await rival.openQueue(servers)
  await queue.add(jobs)
  await queue.close()
  const worker = await startRivalWorker({ name, servers, ca: sink.ca, pace: { concurrency, soon: false } })
  try {
    const before = Math.floor(jobs.length * WARM_UP)
    worker.go()
    await sink.until(before)
    const since = performance.now()
    await sink.until(jobs.length)
    return ((jobs.length - before) * 1000) / (performance.now() - since)
  } finally {
    await worker.stop()
  }
}
