/** Sends one request to a target; rejects when it gets no answer. */
export type Send = (target: number) => Promise<void>

export interface LoadOptions {
  readonly targets: number
  readonly inFlight: number
  readonly ms: number
  /** Requests to one target before the next target's turn, as of a worker that drains a subscription; 1 by default. */
  readonly burst?: number | undefined
}

export interface Load {
  readonly perSecond: number
  /** Of this process, all its threads, in microseconds for a request. */
  readonly cpuMicros: number
  readonly requests: number
}

/** Keeps so many requests in flight for so long, targets in turn. */
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

/** One request to each target, or as many at once as of the load: connections are there before anything is measured. */
export async function once(send: Send, { targets, burst = 1 }: Omit<LoadOptions, 'ms'>): Promise<void> {
  for (let target = 0; target < targets; target++) await Promise.all(Array.from({ length: burst }, () => send(target)))
}
