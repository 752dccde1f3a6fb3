import type { CpuTime } from '../drain/contender.ts'
import { figure, spread } from '../lib/format.ts'
import { median, quantile, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { FEW, type Load, MANY, measureDrains, ONE } from './drains.ts'
import { A_SECOND, measureWaits, WAITING } from './waits.ts'

/** The goals of `ONE` and `MANY`, relative to `FEW`: the lowest ratio of any round (0.835 and 0.514), rounded down. */
const LOWEST = { one: 0.8, many: 0.5 }

export const section: Section = {
  title: 'Fairness: one account and 10,000 accounts at once',
  async measure() {
    const { perSecond, cpu } = await measureDrains()
    const { p50, all } = await measureWaits()
    const p99 = { nobody: quantile(all.nobody.took, 0.99), waiting: quantile(all.waiting.took, 0.99) }
    const drainRow = (load: Load): string[] => {
      const part = (of: keyof CpuTime): string => figure(median(cpu[load].slice(1).map((time) => time[of])))
      return [load, spread(perSecond[load]), part('contender'), part('postgres')]
    }
    const waitRow = (name: string, of: keyof typeof all): string[] => [
      name,
      spread(p50[of]),
      figure(p99[of]),
      figure(all[of].missing),
    ]
    return {
      figures: [],
      goals: [
        {
          what: 'deliveries/s: 1 account, 500 subscriptions ÷ 200 accounts',
          atLeast: LOWEST.one,
          rounds: ratios(perSecond[ONE], perSecond[FEW]),
        },
        {
          what: 'deliveries/s: 10,000 accounts ÷ 200 accounts',
          atLeast: LOWEST.many,
          rounds: ratios(perSecond[MANY], perSecond[FEW]),
        },
        {
          what: 'p50 beside 10,000 accounts that wait ÷ alone',
          atMost: 1.5,
          rounds: ratios(p50.waiting, p50.nobody),
        },
        {
          what: 'p99 beside 10,000 accounts that wait ÷ alone',
          atMost: 1.5,
          rounds: [p99.waiting / p99.nobody],
        },
      ],
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
      method:
        'One worker. Deliveries/s: it drains as many deliveries to as many hosts. p50 and p99: an account publishes ' +
        `${A_SECOND} events/s while ${figure(WAITING)} accounts each have an event for a host that never answers.`,
      missed:
        `The p99 went from ${figure(p99.nobody)} to ${figure(p99.waiting)} ms beside the accounts that wait. More ` +
        'events then need a search for due lanes and a second call, where one call otherwise both sequences an event ' +
        'and leases its lane.',
    }
  },
}
