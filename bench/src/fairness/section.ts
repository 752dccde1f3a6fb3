import { REQUESTS } from '../drain/contender.ts'
import type { CpuTime } from '../drain/cpu-time.ts'
import { figure, spread } from '../lib/format.ts'
import { median, quantile, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { FEW, HOSTS, type Load, MANY, measureDrains, ONE } from './drains.ts'
import { A_SECOND, EVENTS, LONGEST_MS, measureWaits, ROUNDS, WAITING, type Waits } from './waits.ts'

/** The goals of `ONE` and `MANY`, relative to `FEW`: the lowest ratio of any round (0.835 and 0.514), rounded down. */
const LOWEST = { one: 0.8, many: 0.5 }

export const section: Section = {
  title: 'Fairness: one account and 10,000 accounts at once',
  async measure() {
    const { perSecond, cpu } = await measureDrains()
    const { p50, all } = await measureWaits()
    const p99 = { nobody: quantile(all.nobody.took, 0.99), waiting: quantile(all.waiting.took, 0.99) }
    const drainRow = (load: Load): string[] => {
      const part = (of: keyof CpuTime): string => figure(median(cpu[load].map((time) => time[of])))
      return [load, spread(perSecond[load]), part('contender'), part('postgres')]
    }
    const waitRow = (name: string, of: keyof typeof all): string[] => [
      name,
      spread(p50[of]),
      figure(p99[of]),
      figure(all[of].missing),
    ]
    const leasedAtOnce = ({ leasedAtOnce, took }: Waits): string => `${figure((100 * leasedAtOnce) / took.length)} %`
    return {
      tables: [
        {
          columns: ['due', 'deliveries/s', 'CPU per delivery: worker, µs', 'Postgres, µs'],
          rows: [drainRow(FEW), drainRow(ONE), drainRow(MANY)],
        },
        {
          columns: [`an account with ${A_SECOND} events/s`, 'p50, ms', 'p99, ms', 'not arrived'],
          rows: [waitRow('alone', 'nobody'), waitRow(`beside ${figure(WAITING)} accounts that wait`, 'waiting')],
        },
      ],
      goals: [
        { what: `${ONE}, relative to ${FEW}`, atLeast: LOWEST.one, rounds: ratios(perSecond[ONE], perSecond[FEW]) },
        { what: `${MANY}, relative to ${FEW}`, atLeast: LOWEST.many, rounds: ratios(perSecond[MANY], perSecond[FEW]) },
        {
          what: 'p50 of the account beside accounts that wait, relative to its p50 alone',
          atMost: 1.5,
          rounds: ratios(p50.waiting, p50.nobody),
        },
        {
          what: 'p99 of the account beside accounts that wait, relative to its p99 alone',
          atMost: 1.5,
          rounds: [p99.waiting / p99.nobody],
        },
      ],
      notes: [
        `Throughput: one worker with default settings drains ${figure(REQUESTS)} deliveries of 1 KB to ` +
          `${HOSTS} hosts. All events are sequenced before the worker starts. The 10,000 accounts have one or two ` +
          'events each, so the worker sends one or two deliveries per lease of a lane; with the other loads, it ' +
          'sends up to ten. Deliveries are counted at the receiver, from the 6,000th to the 16,000th of each round.',
        `Latency: ${ROUNDS} rounds of ${figure(EVENTS)} events of one account with one subscription. Each round has a ` +
          `new worker, which is warm when counting begins. Each of the ${figure(WAITING)} accounts that wait has one ` +
          'event for a host that reads requests but never answers. At the end of a round, ' +
          `${figure(median(all.waiting.open))} of these accounts had a request open, and the others were due. ` +
          `If an event has not arrived ${LONGEST_MS / 1_000} s after the last event was published, its time is ` +
          'counted up to that moment. The p99 covers all rounds together.',
        'One call both sequenced an event and leased its lane for ' +
          `${leasedAtOnce(all.nobody)} of the events when the account was alone, and for ` +
          `${leasedAtOnce(all.waiting)} beside the accounts that wait. ` +
          'Each of the other events takes a search for due lanes and a second call.',
      ],
    }
  },
}
