import { type Callboard, type Catalog, createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { DeliveryStore } from '@callboard/core/store'
import { createPostgresStore, type SqlClient } from '@callboard/store-postgres'
import { Pool } from 'pg'
import * as z from 'zod'
import { BENCH_TARGETS } from './bench-targets.ts'

const noteSchema = z.object({ note: z.string() })
const noteAdded = defineEventType({
  name: 'note.added',
  family: 'notes',
  descriptionKey: 'events.note_added',
  schema: noteSchema,
  sample: { note: 'hello' },
  personalDataPaths: [],
})
const catalog = defineCatalog({ version: '2026-10-01', types: [noteAdded] })

/** Size in bytes of an envelope from `noteEvent`, without its note. */
const ENVELOPE_BYTES = 279

export interface BenchCallboard {
  readonly callboard: Callboard<Catalog<typeof noteAdded>, SqlClient>
  readonly pool: Pool
}

interface BenchOptions {
  /** Wraps the store's methods that a worker calls, for example to time them. By default, they are not wrapped. */
  readonly watch?: ((deliveries: DeliveryStore) => DeliveryStore) | undefined
}

/** Opens a pool on the database and creates a Callboard that uses the pool. */
export function openBenchCallboard(url: string, { watch = (same) => same }: BenchOptions = {}): BenchCallboard {
  const pool = new Pool({ connectionString: url })
  const store = createPostgresStore({ pool })
  const callboard = createCallboard({
    catalog,
    store: { ...store, deliveries: watch(store.deliveries) },
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } },
    targets: BENCH_TARGETS,
    onError: (error) => console.error(error),
  })
  return { callboard, pool }
}

/** The `n`th event of an account. Its envelope has `bytes` bytes. */
export function noteEvent(accountId: string, n: number, bytes = 1_024) {
  return {
    accountId,
    type: 'note.added',
    subject: { type: 'note', id: `note_${n}` },
    data: { note: 'x'.repeat(bytes - ENVELOPE_BYTES) },
  } as const
}

/** Creates an account with one subscription to the events of `noteEvent`. */
export async function subscribe({ callboard }: BenchCallboard, accountId: string, targetUrl: string): Promise<void> {
  await callboard.accounts.create({ id: accountId, name: accountId })
  const { token } = await callboard.keys.issue({
    accountId,
    name: 'bench',
    scopes: ['webhooks.read', 'webhooks.write'],
  })
  const { admissions, apiSubscriptions } = engineOf(callboard)
  const admission = await admissions.admit(`Bearer ${token}`)
  if (admission.outcome !== 'admitted') throw new Error(`not admitted: ${admission.outcome}`)
  await apiSubscriptions.create(admission.caller, { targetUrl, eventTypes: ['note.added'], integration: 'other' })
}
