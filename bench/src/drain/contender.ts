import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Sink } from '../lib/sink.ts'
import { type CpuTime, cpuTime } from './cpu-time.ts'

/** What the process of a contender is told when it starts. */
export interface ContenderOrder {
  readonly postgresUrl: string
  /** Requests that it makes in all, where it makes them up itself. */
  readonly requests: number
  /** Whether one that keeps no log by itself writes its attempts down. */
  readonly record: boolean
  readonly sink: { readonly ca: string; readonly urls: readonly string[] }
}

/** How many requests a round has: those that warm the contender up, those that count, and those with which it runs out. */
const ROUND = { warmUp: 6_000, counted: 10_000, runOut: 2_000 } as const

export const REQUESTS: number = ROUND.warmUp + ROUND.counted + ROUND.runOut

/** Counts what has come to one sink over many rounds. */
export interface Arrivals {
  /** Resolves with requests in a second, over those of a round that count, once all of the round have come. */
  round(): Promise<number>
  /** Microseconds of CPU for each request of the last round that counts; undefined where the machine does not tell. */
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

/** Runs a contender in a process of its own while `work` lasts, then ends it and waits for its end. */
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
      ended.then(([code]) => Promise.reject(new Error(`the contender has ended (${code})`))),
    ])
  } finally {
    if (child.connected) child.disconnect()
    await ended
  }
}

/** In a contender's process: what it is told, and when it is to end. */
export async function readOrder(): Promise<{ order: ContenderOrder; ended: Promise<unknown> }> {
  const ended = once(process, 'disconnect')
  const [order] = await once(process, 'message')
  return { order, ended }
}
