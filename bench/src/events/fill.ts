import type { Callboard, Scope } from '@callboard/core'
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

/** Creates the request that each connection repeats. Each connection has a key of its own. */
export function askers(callboard: Callboard, scopes: readonly Scope[], connections: number): Promise<Asked[]> {
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const { token } = await callboard.keys.issue({ accountId: ACCOUNT, name: 'bench', scopes })
      return { path: '/v1/events?limit=25', token }
    }),
  )
}
