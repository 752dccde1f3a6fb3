import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { testCallboard } from '@callboard/testing'
import { PGlite } from '@electric-sql/pglite'
import { expect, it } from 'vitest'
import { catalog } from './orders.ts'

const data = { order: { id: 'ord_1', buyer: { email: 'ada@example.com' } } }
const event = { accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id: 'ord_1' }, data } as const

// #region pglite
const pglite = await PGlite.create()
await migrate(pglite)

it('sends nothing if the transaction is rolled back', async () => {
  const app = testCallboard(catalog, { store: createPostgresStore({ pglite }) })
  await app.subscribe({ accountId: 'acc_1' })
  const sell = pglite.transaction(async (tx) => {
    await app.callboard.publish(event, { tx })
    throw new Error('the card was declined')
  })
  await expect(sell).rejects.toThrow('declined')
  expect(await app.deliveries()).toEqual([])
})
// #endregion

it('makes all attempts at once on PGlite, whose clock cannot be moved', async () => {
  const app = testCallboard(catalog, { store: createPostgresStore({ pglite }), retrySchedule: [0, 0] })
  await app.subscribe({ accountId: 'acc_2', targetUrl: 'https://shop.example/hook' })
  app.target('https://shop.example/hook').answers(500, 'reset', 200)
  await pglite.transaction((tx) => app.callboard.publish({ ...event, accountId: 'acc_2' }, { tx }))
  const { state, attempts } = await app.delivery({ type: 'order.paid' })
  expect({ state, attempts: attempts.length }).toEqual({ state: 'delivered', attempts: 3 })
  await expect(app.advance(1_000)).rejects.toThrow('advance() needs the store in memory')
})
