import { type Callboard, createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import * as z from 'zod'

const orderPaid = defineEventType({
  name: 'order.paid',
  description: 'An order was paid in full.',
  family: 'orders',
  schema: z.object({
    order: z.object({ id: z.string(), buyer: z.object({ entity_id: z.string(), email: z.email().optional() }) }),
  }),
  sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.email'],
  personPath: 'order.buyer.entity_id',
})

/** Opens a platform with a key ring and a key prefix of its own. */
export function openPlatform(connectionString: string | undefined): {
  readonly callboard: Callboard
  readonly pool: Pool
} {
  const pool = new Pool({ connectionString })
  const callboard = createCallboard({
    catalog: defineCatalog({
      version: '2026-10-01',
      types: [orderPaid],
      previous: [{ version: '2026-04-01', deprecated: '2026-10-01', sunset: '2027-10-01' }],
    }),
    store: createPostgresStore({ pool }),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
    keyPrefix: 'harbour',
    importedKeys: process.env['IMPORTED_KEYS'] === 'yes',
    targets: {
      allowedHostNames: ['localhost'],
      allowedCidrs: ['127.0.0.0/8', '::1/128'],
      allowedPorts: 'any',
      httpLoopbackHosts: ['127.0.0.1'],
    },
  })
  return { callboard, pool }
}
