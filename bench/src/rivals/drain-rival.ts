import type { Sink } from '../lib/sink.ts'
import { makeAttempts } from './attempt-log.ts'
import type { RivalJob, RivalServers } from './rival.ts'
import { startRivalWorker } from './rival-worker.ts'
import { RIVALS, type RivalName } from './rivals.ts'

export interface RivalDrain {
  readonly name: RivalName
  readonly servers: RivalServers
  /** A sink that no other run uses, because a sink counts all requests since its start. */
  readonly sink: Sink
  readonly jobs: readonly RivalJob[]
  /**
   * How many jobs run at a time; 100 by default. Of 10, 50, 100 and 200, both rivals are fastest with this number.
   */
  readonly concurrency?: number | undefined
}

/** The share of the jobs that serves as a warm-up, during which code is compiled and connections are opened. */
const WARM_UP = 0.2

/** Queues all jobs, then lets one worker process run them as fast as it can. Resolves to deliveries per second. */
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
