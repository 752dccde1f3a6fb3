import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Sink } from '../lib/sink.ts'
import { type CpuTime, cpuTime } from './cpu-time.ts'

/** The message that starts a contender's process. */
export interface ContenderOrder {
  readonly postgresUrl: string
  /** How many requests the raw loop (raw-loop.ts) sends in all. Queues send until they are empty. */
  readonly requests: number
  /** Whether the raw loop records its attempts. */
  readonly record: boolean
  readonly sink: { readonly ca: string; readonly urls: readonly string[] }
}

/**
 * The three parts of a round, in requests. Only `counted` is measured: during `warmUp` the contender is not yet at full
 * speed, and during `runOut` it runs out of work.
 */
const ROUND = { warmUp: 6_000, counted: 10_000, runOut: 2_000 } as const

export const REQUESTS: number = ROUND.warmUp + ROUND.counted + ROUND.runOut

/** Counts the requests that one sink receives, round by round. */
export interface Arrivals {
  /** Resolves to the counted requests per second, once all requests of the round have arrived. */
  round(): Promise<number>
  /** CPU microseconds per counted request of the last round; undefined if the machine does not report them. */
  cpu(): CpuTime | undefined
}

export function countArrivals(sink: Sink): Arrivals {
  let before = 0
  let cpu: CpuTime | undefined
  return {
    cpu: () => cpu,
    async round() {
      const since = await sink.until(before + ROUND.warmUp)
      const cpuSince = cpuTime()
      const until = await sink.until(before + ROUND.warmUp + ROUND.counted)
      const cpuUntil = cpuTime()
      const each = (part: keyof CpuTime): number =>
        ((cpuUntil?.[part] ?? Number.NaN) - (cpuSince?.[part] ?? Number.NaN)) / ROUND.counted
      cpu = cpuUntil && {
        contender: each('contender'),
        receiver: each('receiver'),
        postgres: each('postgres'),
      }
      before += REQUESTS
      await sink.until(before)
      return (ROUND.counted * 1_000) / (until - since)
    },
  }
}

/** Runs a contender in a process of its own during `work`, then stops it and waits until it has exited. */
export async function withContender<Result>(
  module: URL,
  order: ContenderOrder,
  work: () => Promise<Result>,
): Promise<Result> {
  const child = fork(module, { execArgv: [] })
  const ended = once(child, 'exit')
  child.send(order)
  try {
    return await Promise.race([
      work(),
      ended.then(([code]) => Promise.reject(new Error(`the contender exited (${code})`))),
    ])
  } finally {
    if (child.connected) child.disconnect()
    await ended
  }
}

/**
 * Called in a contender's process. Returns the message that started the process, and a promise that resolves when the
 * process must stop.
 */
export async function readOrder(): Promise<{ order: ContenderOrder; ended: Promise<unknown> }> {
  const ended = once(process, 'disconnect')
  const [order] = await once(process, 'message')
  return { order, ended }
}
