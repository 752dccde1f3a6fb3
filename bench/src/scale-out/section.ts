import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { arrange } from '../lib/arrange.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { startHelper } from '../lib/helper.ts'
import type { LoadAsk, LoadCount } from '../lib/load-process.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'

const TARGETS = 40
const DELAY_MS = 100
/**
 * How many subscriptions a worker serves at a time. Each of them has at most 10 deliveries in flight, and the targets
 * take 100 ms to answer, so a worker makes at most 400 deliveries/s.
 */
const LANES = 4
const OFFERED_A_WORKER = 450
const WARM_UP_MS = 3_000
const COUNTED_MS = 2_000

const load = new URL('../lib/load-process.ts', import.meta.url)

/** Creates a function that returns the share of the machine's CPU time that was used since its last call. */
function createBusyMeter(): () => number {
  const read = (): readonly [used: number, all: number] => {
    const times = cpus().map(({ times: { user, nice, sys, irq, idle } }) => [user + nice + sys + irq, idle] as const)
    const used = times.reduce((sum, [part]) => sum + part, 0)
    return [used, used + times.reduce((sum, [, idle]) => sum + idle, 0)]
  }
  let [usedBefore, allBefore] = read()
  return () => {
    const [used, all] = read()
    const part = (used - usedBefore) / (all - allBefore)
    ;[usedBefore, allBefore] = [used, all]
    return part
  }
}

export const section: Section = {
  title: `Scale-out: workers and publishers on one database, targets that answer in ${DELAY_MS} ms`,
  async measure() {
    const postgres = await startBenchPostgres()
    const sink = await startSink({ delayMs: DELAY_MS })
    const opened = openBenchCallboard(postgres.url)
    await arrange(
      opened,
      Array.from({ length: TARGETS }, (_, target) => sink.url(target)),
    )
    const busyMeter = createBusyMeter()
    const busy: { readonly count: number; readonly part: number }[] = []

    const perSecond = async (count: number): Promise<number> => {
      const helpers = Array.from({ length: 2 * count }, () => startHelper<LoadAsk, LoadCount>(load))
      const workers = helpers.slice(0, count)
      const delivered = async (): Promise<number> => {
        const counts = await Promise.all(workers.map((worker) => worker.ask({ how: 'goes it' })))
        return counts.reduce((sum, each) => sum + each.delivered, 0)
      }
      for (const worker of workers) await worker.ask({ work: postgres.url, ca: sink.ca, lanes: LANES })
      for (const publisher of helpers.slice(count))
        await publisher.ask({ publish: postgres.url, aSecond: OFFERED_A_WORKER, targets: TARGETS })
      await delay(WARM_UP_MS)
      busyMeter()
      const [from, since] = [await delivered(), performance.now()]
      await delay(COUNTED_MS)
      const rate = (((await delivered()) - from) * 1_000) / (performance.now() - since)
      busy.push({ count, part: busyMeter() })
      for (const helper of helpers) await helper.stop()
      // Undelivered events must not carry over into the next round.
      await opened.pool.query('truncate callboard.outbox')
      await opened.pool.query(
        `update callboard.lanes set cursor = head, state = 'idle', worker = null, epoch = epoch + 1, wake_at = null`,
      )
      return rate
    }
    const reached = await alternate({
      one: () => perSecond(1),
      two: () => perSecond(2),
      four: () => perSecond(4),
    })
    await opened.pool.end()
    await sink.stop()
    await postgres.stop()

    const used = (count: number): number =>
      median(
        busy
          .filter((each) => each.count === count)
          .slice(1)
          .map(({ part }) => part),
      )
    const row = (count: number, rounds: readonly number[]) => [
      String(count),
      figure(count * OFFERED_A_WORKER),
      spread(rounds),
      `${figure(100 * used(count))} %`,
    ]
    return {
      tables: [
        {
          columns: ['workers, publishers', 'offered', 'deliveries/s', 'CPU used'],
          rows: [row(1, reached.one), row(2, reached.two), row(4, reached.four)],
        },
      ],
      goals: [
        { what: 'two workers relative to one', atLeast: 1.8, rounds: ratios(reached.two, reached.one) },
        { what: 'four workers relative to two', atLeast: 1, rounds: ratios(reached.four, reached.two) },
      ],
      notes: [
        `${TARGETS} targets. Each worker serves ${LANES} subscriptions at a time, so it waits for its targets and ` +
          'not for the CPU. Sink, database and all processes share the machine. Each round starts new processes, ' +
          `which are ${WARM_UP_MS / 1_000} s old when counting begins. ${
            used(4) > 0.9
              ? 'With four workers and four publishers, all cores are busy: the database shares them with nine Node ' +
                `processes. The four publishers offer ${figure(4 * OFFERED_A_WORKER)} events/s together.`
              : 'With four workers and four publishers, neither the cores nor the database are fully used: the ' +
                'targets are the limit.'
          }`,
      ],
    }
  },
}
