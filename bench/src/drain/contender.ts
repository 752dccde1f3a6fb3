import { startHelper } from '../lib/helper.ts'
import { cpuOf } from '../lib/process-cpu.ts'
import type { Sink } from '../lib/sink.ts'

/** What a contender has to know. Each needs only some of it. */
export interface ContenderOrder {
  readonly postgresUrl: string
  /** PEM of the sink's certificate. */
  readonly ca: string
  readonly urls: readonly string[]
  /** How many requests the raw loop sends in all. Queues send until they are empty. */
  readonly requests: number
  /** Whether the raw loop records its attempts. */
  readonly record: boolean
  /** The name of the rival whose worker to run. */
  readonly rival?: string | undefined
}

/** How a contender's process is asked to begin. It answers at once, and works until the parent ends it. */
export type ContenderReplies = {
  start(order: ContenderOrder): void
}

/**
 * The three parts of a round, in requests. Only `counted` is measured: during `warmUp` the contender is not yet at full
 * speed, and during `runOut` it runs out of work.
 */
export interface Round {
  readonly warmUp: number
  readonly counted: number
  readonly runOut: number
}

export const ROUND: Round = { warmUp: 6_000, counted: 10_000, runOut: 2_000 }

export function requestsOf({ warmUp, counted, runOut }: Round): number {
  return warmUp + counted + runOut
}

/** CPU microseconds per counted request in the processes of each role; 0 if the machine does not report them. */
export interface CpuTime {
  readonly contender: number
  readonly receiver: number
  readonly postgres: number
}

export interface Metered {
  readonly perSecond: number
  readonly cpu: CpuTime
}

export type Meter = (module: URL, order: ContenderOrder, round?: Round) => Promise<Metered>

/**
 * Returns a function that runs a contender in a process of its own for one round, and counts the requests at the sink.
 * Nothing else may send to the sink.
 *
 * @param serverCpu the CPU microseconds that Postgres has used so far
 */
export function createMeter(sink: Sink, serverCpu: () => number): Meter {
  let before = 0
  return async (module, order, round = ROUND) => {
    const contender = startHelper<ContenderReplies>(module)
    const sample = async (count: number) => {
      const at = await contender.during(sink.until(before + count))
      return { at, contender: cpuOf(contender.pid), receiver: cpuOf(sink.pid), postgres: serverCpu() }
    }
    try {
      await contender.ask('start', order)
      const from = await sample(round.warmUp)
      const to = await sample(round.warmUp + round.counted)
      const each = (part: keyof CpuTime): number => (to[part] - from[part]) / round.counted
      await sample(requestsOf(round))
      before += requestsOf(round)
      return {
        perSecond: (round.counted * 1_000) / (to.at - from.at),
        cpu: { contender: each('contender'), receiver: each('receiver'), postgres: each('postgres') },
      }
    } finally {
      await contender.stop()
    }
  }
}
