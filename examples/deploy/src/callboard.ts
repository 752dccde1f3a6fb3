import { createCallboard, defineCatalog, defineEventType, describeError } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createPostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { pino } from 'pino'
import * as z from 'zod'
import { telemetry } from './telemetry.ts'

const { DATABASE_URL, SECRET_KEY = '', NODE_ENV } = process.env

export const pool: Pool = new Pool({
  connectionString: DATABASE_URL,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 15_000,
  keepAlive: true,
})

const orderPaid = defineEventType({
  name: 'order.paid',
  schema: z.object({ order: z.object({ id: z.string() }) }),
  sample: { order: { id: 'ord_1' } },
})

// #region log
export const logger = pino()

export const callboard = createCallboard({
  catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }),
  store: createPostgresStore({ pool }),
  secretKeys: { current: 'k1', keys: { k1: SECRET_KEY } },
  // Targets must be public HTTPS addresses. During development they may be on your own machine.
  targets: NODE_ENV === 'development' ? { httpLoopbackHosts: ['127.0.0.1'], allowedPorts: 'any' } : undefined,
  telemetry,
  log: ({ level, message, fields }) => logger[level](fields ?? {}, message),
  onError: (error, { requestId }) => logger.error({ requestId }, describeError(error)),
  onSubscriptionDisabled: (subscription) => logger.warn(subscription, 'subscription disabled'),
})
// #endregion

/** Aborted when the process is to stop. */
export const stopping = new AbortController()
export const router = createRouter(callboard, { closing: stopping.signal })
