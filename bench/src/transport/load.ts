/** Sends one request to a target; rejects unless it is answered. */
export type Send = (target: number) => Promise<void>

export interface LoadOptions {
  readonly targets: number
  readonly inFlight: number
  readonly ms: number
  /**
   * How many requests in a row go to one target; 1 by default. A worker with many deliveries for one subscription also
   * sends in bursts.
   */
  readonly burst?: number | undefined
}

export interface Load {
  readonly perSecond: number
  /** CPU microseconds per request, including all threads of this process. */
  readonly cpuMicros: number
  readonly requests: number
}

/** Keeps `inFlight` requests in flight for `ms` milliseconds, taking the targets in turn. */
export async function load(send: Send, { targets, inFlight, ms, burst = 1 }: LoadOptions): Promise<Load> {
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  let begun = 0
  let done = 0
  const work = async (): Promise<void> => {
    while (performance.now() - start < ms) {
      await send(Math.floor(begun++ / burst) % targets)
      done++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  const elapsed = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  return { perSecond: (done * 1000) / elapsed, cpuMicros: (user + system) / done, requests: done }
}

/**
 * Sends as many concurrent requests to each target as the load will, so that connections are open before the load
 * starts.
 */
export async function once(send: Send, { targets, burst = 1 }: Omit<LoadOptions, 'ms'>): Promise<void> {
  for (let target = 0; target < targets; target++) await Promise.all(Array.from({ length: burst }, () => send(target)))
}
