import { runUntilIdle } from '@callboard/delivery'
import { createPostgresStore, type PostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { callboard } from '../start/callboard.ts'

// #region scheduled
/** Your hosting provider calls this route once a minute, and ends a call that takes longer than 60 seconds. */
export async function deliver(request: Request): Promise<Response> {
  const { CRON_SECRET } = process.env
  if (CRON_SECRET === undefined || request.headers.get('authorization') !== `Bearer ${CRON_SECRET}`)
    return new Response(null, { status: 401 })
  return Response.json(await runUntilIdle(callboard, { deadlineMs: 50_000 }))
}
// #endregion

// #region publish
/** Your provider's `waitUntil` keeps the function running after the response until the promise has settled. */
export async function pay(orderId: string, waitUntil: (work: Promise<unknown>) => void): Promise<Response> {
  await callboard.publish({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id: orderId },
    data: { order: { id: orderId, buyer: { entity_id: 'per_1', email: 'ada@example.com' } } },
  })
  waitUntil(runUntilIdle(callboard, { deadlineMs: 20_000 }).catch(console.error))
  return new Response(null, { status: 204 })
}
// #endregion

// #region pooler
export function storeBehindPooler(connectionString: string): PostgresStore {
  const pool = new Pool({ connectionString, max: 5, connectionTimeoutMillis: 5_000, keepAlive: true })
  return createPostgresStore({ pool, queryTimeoutMs: 5_000 })
}
// #endregion
