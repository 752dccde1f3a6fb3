import { setTimeout as delay } from 'node:timers/promises'
import { arrange } from '../lib/arrange.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { startHelper } from '../lib/helper.ts'
import type { LoadAsk, LoadCount } from '../lib/load-process.ts'
import { ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { countStatements, type Step, type StepCount } from '../statements/statement-counts.ts'

const A_SECOND = 5_000
const TARGETS = 200
const HOLD_MS = 120_000
/**
 * How long one measurement of the delivery rate takes. There are three measurements before the section opens a long
 * transaction, and three just before it ends that transaction.
 */
const WINDOW_MS = 5_000
const WARM_UP_MS = 10_000

/** Deliveries per second in each window, and what the database did in that time. */
interface Windows {
  readonly reached: readonly number[]
  readonly steps: Readonly<Record<Step, StepCount>>
}

function ofStep({ steps }: Windows, step: Step): string {
  const { calls, tookMs, blocks } = steps[step]
  const seconds = (3 * WINDOW_MS) / 1_000
  return `${figure(tookMs / seconds)} ms/s in ${figure(calls / seconds)} calls/s of ${figure(blocks / calls)} blocks`
}

const load = new URL('../lib/load-process.ts', import.meta.url)

export const section: Section = {
  title: `A transaction that holds back vacuum for ${HOLD_MS / 1_000} s at ${figure(A_SECOND)} deliveries/s`,
  async measure() {
    const postgres = await startBenchPostgres({ shared_preload_libraries: 'pg_stat_statements' })
    const opened = openBenchCallboard(postgres.url)
    const { pool } = opened
    await arrange(
      opened,
      Array.from({ length: TARGETS }, (_, target) => `https://t${target}.bench.test/hook`),
    )
    await pool.query('create extension pg_stat_statements')
    await pool.query('create table orders (id int); insert into orders values (1)')
    const worker = startHelper<LoadAsk, LoadCount>(load)
    const publisher = startHelper<LoadAsk, LoadCount>(load)
    await worker.ask({ work: postgres.url })
    await publisher.ask({ publish: postgres.url, aSecond: A_SECOND, targets: TARGETS })

    const perSecond = async (ms: number): Promise<number> => {
      const [from, since] = [(await worker.ask({ how: 'goes it' })).delivered, performance.now()]
      await delay(ms)
      return (((await worker.ask({ how: 'goes it' })).delivered - from) * 1_000) / (performance.now() - since)
    }
    const windows = async (): Promise<Windows> => {
      const reached: number[] = []
      const steps = await countStatements(pool, async () => {
        for (let window = 0; window < 3; window++) reached.push(await perSecond(WINDOW_MS))
      })
      return { reached, steps }
    }

    await delay(WARM_UP_MS)
    const before = await windows()
    const holder = await pool.connect()
    await holder.query('begin isolation level repeatable read')
    await holder.query('insert into orders values (2)')
    const heldAt = performance.now()
    const during: string[][] = []
    const untilEnd = (): number => HOLD_MS - 3 * WINDOW_MS - (performance.now() - heldAt)
    while (untilEnd() > 0) {
      const rate = await perSecond(Math.min(HOLD_MS / 6, Math.max(1_000, untilEnd())))
      during.push([`${Math.round((performance.now() - heldAt) / 1_000)} s`, figure(rate)])
    }
    const after = await windows()
    const { published } = await publisher.ask({ how: 'goes it' })
    const { delivered } = await worker.ask({ how: 'goes it' })
    const { rows: sizes } = await pool.query<{ name: string; mb: number; dead: number }>(`
      select relname as name, pg_total_relation_size(relid)::float8 / 1e6 as mb, n_dead_tup::float8 as dead
      from pg_stat_user_tables where relname in ('outbox', 'lanes', 'sequencer') order by 1`)
    await holder.query('rollback')
    holder.release()

    await publisher.stop()
    await worker.stop()
    await pool.end()
    await postgres.stop()
    return {
      tables: [
        {
          columns: ['', 'deliveries/s'],
          rows: [
            ['before', spread(before.reached)],
            ...during.map(([at = '', rate = '']) => [`${at} into the transaction`, rate]),
            ['at the end of the transaction', spread(after.reached)],
          ],
        },
      ],
      goals: [
        {
          what: 'deliveries/s at the end of the transaction, relative to before it',
          atLeast: 0.9,
          rounds: ratios(after.reached, before.reached),
        },
      ],
      notes: [
        `${figure(A_SECOND)} events/s are published for ${TARGETS} subscriptions, 20 per transaction. The transport ` +
          'of the one worker answers at once, without a network: two cores cannot deliver over TLS at this rate and ' +
          'also run the publisher. ' +
          'The transaction that holds back vacuum has written a row and holds a snapshot. ' +
          `Just before it ended, ${figure(published - delivered)} events were undelivered. Dead rows and size: ` +
          `${sizes.map(({ name, mb, dead }) => `${name} ${figure(dead)}, ${figure(mb)} MB`).join('; ')}.`,
        `Where the time of the database goes, before the transaction and at its end: ${(
          ['publish', 'sequence', 'lease', 'settle'] as const
        )
          .map((step) => `${step} ${ofStep(before, step)} and ${ofStep(after, step)}`)
          .join('; ')}. A step with fewer calls handles more events per call.`,
      ],
    }
  },
}
