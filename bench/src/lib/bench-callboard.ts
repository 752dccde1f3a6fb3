import {
  type Callboard,
  type Catalog,
  createCallboard,
  defineCatalog,
  defineEventType,
  type RateLimits,
} from '@callboard/core'
import { createPostgresStore, type SqlClient } from '@callboard/store-postgres'
import { Pool } from 'pg'
import * as z from 'zod'
import { BENCH_TARGETS } from './bench-transport.ts'

/** The event of all sections that deliver; see {@link noteEvent}. */
const noteAdded = defineEventType({
  name: 'note.added',
  family: 'notes',
  descriptionKey: 'events.note_added',
  schema: z.object({ note: z.string() }),
  sample: { note: 'hello' },
  personalDataPaths: [],
})

/** The event of all sections that read; it has a buyer's personal data. */
const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z.looseObject({}),
  sample: { buyer: { name: 'Ada Sample', email: 'ada@example.com' } },
  personalDataPaths: ['buyer.name', 'buyer.email'],
})

const WIDE_LIMITS: RateLimits = [
  { seconds: 1, limit: 1_000_000_000 },
  { seconds: 10, limit: 1_000_000_000 },
  { seconds: 60, limit: 1_000_000_000 },
]

/** All options of a bench's Callboard except its store. No benchmark reaches the limits. */
export const BENCH_OPTIONS = {
  catalog: defineCatalog({ version: '2026-10-01', types: [noteAdded, orderPaid] }),
  secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } },
  targets: BENCH_TARGETS,
  rateLimits: WIDE_LIMITS,
  maxSubscriptions: 1_000,
  maxNewSubscriptionsPerMinute: 1_000_000,
  onError: (error: unknown): void => console.error(error),
}

export interface BenchCallboard {
  readonly callboard: Callboard<Catalog<typeof noteAdded | typeof orderPaid>, SqlClient>
  readonly pool: Pool
}

/** Opens a pool on the database and creates a Callboard that uses the pool. */
export function openBenchCallboard(url: string): BenchCallboard {
  const pool = new Pool({ connectionString: url })
  return { callboard: createCallboard({ ...BENCH_OPTIONS, store: createPostgresStore({ pool }) }), pool }
}

/** Size in bytes of an envelope from `noteEvent`, without its note. */
const ENVELOPE_BYTES = 279

/** The `n`th event of an account. Its envelope has 1 KB. */
export function noteEvent(accountId: string, n: number) {
  return {
    accountId,
    type: 'note.added',
    subject: { type: 'note', id: `note_${n}` },
    data: { note: 'x'.repeat(1_024 - ENVELOPE_BYTES) },
  } as const
}
