import { hash } from 'node:crypto'
import type { Callboard, Scope } from '@callboard/core'
import type { Pool } from 'pg'
import type { Asked } from '../lib/http-load.ts'

const ACCOUNT = 'acc_1'
export const EVENTS = 5000

/** Publishes {@link EVENTS} events of 1 KB in one account. */
export async function publishEvents(callboard: Callboard): Promise<void> {
  await callboard.accounts.create({ id: ACCOUNT, name: 'Harbour Hall' })
  for (let published = 0; published < EVENTS; published += 100)
    await callboard.publishMany(
      Array.from({ length: 100 }, (_, index) => ({
        accountId: ACCOUNT,
        type: 'order.paid',
        subject: { type: 'order', id: `ord_${published + index}` },
        data: { id: `ord_${published + index}`, buyer: BUYER, note: 'x'.repeat(600) },
      })),
    )
}

const BUYER = { id: 'per_9', name: 'Grace Sample', email: 'grace@example.com' } as const

/** Creates a request for each connection to repeat. Each connection has a key of its own. */
export function askers(callboard: Callboard, scopes: readonly Scope[], connections: number): Promise<Asked[]> {
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const { token } = await callboard.keys.issue({ accountId: ACCOUNT, name: 'bench', scopes })
      return { path: '/v1/events?limit=25', token }
    }),
  )
}

/** Creates the hand-written handler's tables, with a copy of the published events. */
export async function copyEvents(pool: Pool): Promise<void> {
  await pool.query(`
    create schema hand;
    create table hand.keys (token_hash bytea primary key, account_id text not null, scopes text[] not null);
    create unlogged table hand.windows (
      token_hash bytea primary key, start1 bigint, used1 int, start2 bigint, used2 int, start3 bigint, used3 int
    ) with (fillfactor = 50);
    create table hand.events as select id, account_id, mode, occurred_at, body from callboard.events;
    create index on hand.events (account_id, mode, occurred_at desc, id desc)`)
  // Callboard stores personal data separately from the event. The hand-written handler has it in the event's body.
  await pool.query('update hand.events set body = replace(body, $1, $2)', [
    JSON.stringify({ id: BUYER.id }),
    JSON.stringify(BUYER),
  ])
}

/** Adds the keys of the requests in `asked` to the hand-written handler's tables. */
export async function copyKeys(pool: Pool, scopes: readonly Scope[], asked: readonly Asked[]): Promise<void> {
  for (const { token = '' } of asked)
    await pool.query('insert into hand.keys values ($1, $2, $3)', [hash('sha256', token, 'buffer'), ACCOUNT, scopes])
}
