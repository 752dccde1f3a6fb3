import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import * as z from 'zod'

const { DATABASE_URL, SECRET_KEY = '', NODE_ENV } = process.env
export const pool = new Pool({ connectionString: DATABASE_URL })

// An event type of your platform. `publish` checks each event's `data` against `schema`.
const orderPaid = defineEventType({
  name: 'order.paid',
  schema: z.object({
    order: z.object({ id: z.string(), buyer: z.object({ entity_id: z.string(), email: z.email() }) }),
  }),
  sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.email'],
  personPath: 'order.buyer.entity_id', // the person's id, by which erasure finds the event
})

export const callboard = createCallboard({
  catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }),
  store: createPostgresStore({ pool }),
  secretKeys: { current: 'k1', keys: { k1: SECRET_KEY } },
  // Targets must be public HTTPS addresses. During development they may be on your own machine.
  targets: NODE_ENV === 'development' ? { httpLoopbackHosts: ['127.0.0.1'], allowedPorts: 'any' } : undefined,
  onError: console.error,
})

/** Abort it when the server stops: it ends open streams and waiting requests. */
export const closing = new AbortController()
export const router = createRouter(callboard, { closing: closing.signal })
