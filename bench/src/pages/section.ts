import { type EventPosition, idFromUuid } from '@callboard/core/store'
import { WIDE_LIMITS } from '../lib/bench-catalog.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { type Migrated, migrated } from '../lib/migrated.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import { FREQUENT, fill, RARE, RARE_EVENTS, tokenHash } from './fill.ts'

const FEW = 10_000
/** How many events the large account has. `PAGES_EVENTS=500000` makes runs shorter while you work on this section. */
const MANY = Number(process.env['PAGES_EVENTS'] ?? 5_000_000)
const ROUNDS = 5
const READS = 300
const LIMIT = 25

type Account = 'few' | 'many'

interface Case {
  readonly what: string
  readonly type?: string | undefined
  /** Given how many events the account has, returns how many of them come before the page. */
  readonly before: (events: number) => number
}

const first = (): number => 0
const deep = (): number => 100 * LIMIT
const last = (events: number): number => events - LIMIT

const CASES: readonly Case[] = [
  { what: 'first page', before: first },
  { what: '100 pages deep', before: deep },
  { what: 'last page', before: last },
  { what: 'first page, frequent type', type: FREQUENT, before: first },
  { what: '100 pages deep, frequent type', type: FREQUENT, before: deep },
  { what: 'last page, frequent type', type: FREQUENT, before: (events) => last(events - RARE_EVENTS) },
  { what: `only page of a type with ${RARE_EVENTS} events`, type: RARE, before: first },
]

export const section: Section = {
  title: 'Pages of an account with few events and of one with many',
  async measure() {
    const postgres = await startBenchPostgres()
    const database = await migrated(postgres.url)
    await fill(database, { few: FEW, many: MANY })
    const goals: Goal[] = []
    const rows: string[][] = []
    for (const { what, type, before } of CASES) {
      const round = async (account: Account, events: number) => {
        const after = await positionBefore(database, account, type, before(events))
        return () => p50(database, account, type, after)
      }
      const reached = await alternate({ few: await round('few', FEW), many: await round('many', MANY) }, ROUNDS)
      rows.push([what, spread(reached.few), spread(reached.many)])
      goals.push({ what, atMost: 1.3, rounds: ratios(reached.many, reached.few) })
    }
    await database.pool.end()
    await postgres.stop()
    return {
      tables: [{ columns: ['p50, ms', `${figure(FEW)} events`, `${figure(MANY)} events`], rows }],
      goals,
      notes: [
        `Each column is one account; both are in the same tables. A page has ${LIMIT} events. The time of a ` +
          `round is the median of ${READS} reads of the same page; all but the first read come from memory. The ` +
          'statement that reads the page also checks the key. Bodies are 200 bytes.',
      ],
    }
  },
}

/** The position at which a page starts if `before` events come before it; undefined for the first page. */
async function positionBefore(
  { pool }: Migrated,
  account: Account,
  type: string | undefined,
  before: number,
): Promise<EventPosition | undefined> {
  if (before === 0) return undefined
  const { rows } = await pool.query<{ at: number; id: string }>(
    `select date_part('epoch', occurred_at) * 1000 as at, id::text as id from callboard.events
     where account_id = $1 and mode = 'live' and type = coalesce($2, type)
     order by occurred_at desc, id desc offset $3 limit 1`,
    [account, type, before - 1],
  )
  const [row] = rows
  return row && { occurredAt: Math.round(row.at), id: idFromUuid('evt', row.id) }
}

async function p50(
  { store }: Migrated,
  account: Account,
  type: string | undefined,
  after: EventPosition | undefined,
): Promise<number> {
  const request = { tokenHash: tokenHash(account), limits: WIDE_LIMITS }
  const took: number[] = []
  for (let read = 0; read < READS; read++) {
    const asked = performance.now()
    const admitted = await store.admission.admit({
      ...request,
      page: { type, after, limit: LIMIT, horizonMs: 30 * 86_400_000 },
    })
    const page = admitted.outcome === 'admitted' ? admitted.page : undefined
    took.push(performance.now() - asked)
    if (page === undefined || page.events.length === 0) throw new Error('the page has no events')
  }
  return median(took)
}
