import { startWorker, type Transport } from '@callboard/delivery'
import { arrange } from '../lib/arrange.ts'
import { type BenchCallboard, noteEvent, openBenchCallboard, subscribe } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import type { Section } from '../lib/section.ts'
import { countStatements, type Step } from './statement-counts.ts'
import { walBetween, walByRelation, walPosition } from './wal.ts'

const ACCOUNTS = 200
const EVENTS = 6_000
const ROUNDS = 3
const STEPS: readonly Step[] = ['publish', 'sequence', 'lease', 'settle', 'other']

export const section: Section = {
  title: 'Statements and write-ahead log per delivered event',
  async measure() {
    const postgres = await startBenchPostgres({ shared_preload_libraries: 'pg_stat_statements' })
    const bench = openBenchCallboard(postgres.url)
    const { pool } = bench
    try {
      await arrange(bench, [])
      await pool.query('create extension pg_stat_statements; create extension pg_walinspect')
      for (let n = 0; n < ACCOUNTS; n++) await subscribe(bench, `acc_${n}`, `https://t${n}.bench.test/hook`)
      // The first write to a page after a checkpoint logs an image of the whole page. This extra round makes those
      // writes, so that the counted rounds log no images.
      await deliver(bench, EVENTS)
      const rounds: Round[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(bench))
      const each = (value: (round: Round) => number): number[] => rounds.map((round) => value(round) / EVENTS)
      return {
        tables: [
          {
            columns: ['per event', 'statements', 'WAL bytes'],
            rows: [
              ...STEPS.map((step) => [
                step,
                spread(each(({ counts }) => counts[step].calls)),
                spread(each(({ counts }) => counts[step].walBytes)),
              ]),
              [
                'commits',
                '',
                spread(
                  each(({ bytes, counts }) => bytes - STEPS.reduce((sum, step) => sum + counts[step].walBytes, 0)),
                ),
              ],
              ['full-page images', '', spread(each(({ pageImages }) => pageImages))],
            ],
          },
          {
            columns: ['table or index', 'WAL bytes'],
            rows: (rounds[0]?.relations ?? [])
              .map(([name, bytes]) => [name, bytes / EVENTS] as const)
              .filter(([, bytes]) => bytes >= 10)
              .map(([name, bytes]) => [name, figure(bytes)]),
          },
        ],
        goals: [
          {
            what: 'worker statements per event',
            atMost: 0.2,
            rounds: each(
              ({ counts }) => counts.sequence.calls + counts.lease.calls + counts.settle.calls + counts.other.calls,
            ),
          },
          {
            what: 'WAL bytes per event, from publish to settle',
            atMost: 3_500,
            rounds: each(({ bytes, pageImages }) => bytes - pageImages),
          },
        ],
        notes: [
          `The server counts statements and WAL bytes. Events of 1 KB from ${ACCOUNTS} accounts with one ` +
            'subscription each are published one by one, then delivered by one worker with default settings, whose ' +
            'transport answers after 3 ms without a network. One uncounted round ran first, and no checkpoint has run ' +
            'since. The WAL bytes of a table or index are those of the log records about it, without full-page images.',
        ],
      }
    } finally {
      await pool.end()
      await postgres.stop()
    }
  },
}

interface Round {
  readonly counts: Awaited<ReturnType<typeof countStatements>>
  readonly bytes: number
  readonly pageImages: number
  readonly relations: readonly (readonly [string, number])[]
}

async function measureRound(bench: BenchCallboard): Promise<Round> {
  const { pool } = bench
  const from = await walPosition(pool)
  const counts = await countStatements(pool, () => deliver(bench, EVENTS))
  const to = await walPosition(pool)
  return { counts, ...(await walBetween(pool, from, to)), relations: await walByRelation(pool, from, to) }
}

/** Publishes this many events, then delivers them with one worker. */
async function deliver({ callboard }: BenchCallboard, events: number): Promise<void> {
  const publishers = Array.from({ length: 8 }, async (_, publisher) => {
    for (let n = publisher; n < events; n += 8) await callboard.publish(noteEvent(`acc_${n % ACCOUNTS}`, n))
  })
  await Promise.all(publishers)
  const { transport, sent } = answering(events)
  const worker = await startWorker(callboard, { transport })
  await sent
  await worker.stop()
}

/** A transport that answers without a network; `sent` resolves after `count` requests. */
function answering(count: number): { transport: Transport; sent: Promise<void> } {
  let left = count
  let end: () => void = () => undefined
  const sent = new Promise<void>((resolve) => {
    end = resolve
  })
  const transport: Transport = {
    async send() {
      await new Promise((answered) => setTimeout(answered, 3))
      if (--left === 0) end()
      return { kind: 'response', status: 200, body: 'ok', truncated: false, durationMs: 3 }
    },
    close: () => undefined,
  }
  return { transport, sent }
}
