import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCallboard } from '@callboard/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { catalog } from './catalogue/catalog.ts'
import type { Database } from './database/database.ts'
import { openPgliteDatabase } from './database/pglite-database.ts'
import { createShop, type Shop, type ShopOptions } from './shop.ts'

let dataDir: string
let database: Database
let callboard: ShopOptions['callboard'] & { events: ReturnType<typeof open>['events'] }
let accountId: string
let shop: Shop
let count = 0

const open = () =>
  createCallboard({
    catalog,
    store: database.store,
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'callboard-shop-'))
  database = await openPgliteDatabase(dataDir)
})

beforeEach(async () => {
  const opened = open()
  accountId = `acct_${++count}`
  await opened.accounts.create({ id: accountId, name: 'Riverside Tickets' })
  callboard = opened
  shop = createShop({ database, callboard, accountId, now: Date.now })
})

afterAll(async () => {
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

const eventsOf = async (): Promise<readonly unknown[]> =>
  (await callboard.events.page({ accountId, personalData: true })).data

describe('the shop', () => {
  it('sells tickets: stores an order and its attendees, and publishes order.paid', async () => {
    const before = await shop.countOrders()
    const lines = [
      { ticket_type_id: 'tic_a', name: 'A', quantity: 2, unit_price: { amount: 1000, currency: 'SEK' } },
      { ticket_type_id: 'tic_b', name: 'B', quantity: 1, unit_price: { amount: 500, currency: 'SEK' } },
    ]
    const sale = await shop.sell({ eventName: 'Jazz Night', buyer: { name: 'Bo', email: 'bo@example.com' }, lines })
    expect(sale.attendeeIds).toHaveLength(3)
    expect(await shop.countOrders()).toBe(before + 1)
    expect(await eventsOf()).toMatchObject([
      {
        id: sale.event.id,
        type: 'order.paid',
        subject: { type: 'order', id: sale.orderId, sequence: 1 },
        data: {
          order: {
            id: sale.orderId,
            event: { name: 'Jazz Night' },
            buyer: { name: 'Bo', email: 'bo@example.com' },
            totals: { gross: { amount: 2500, currency: 'SEK' }, net: { amount: 2375 } },
            lines,
          },
        },
      },
    ])
  })

  it('rolls back an order whose event cannot be published', async () => {
    const before = await shop.countOrders()
    const nobodys = createShop({ database, callboard, accountId: 'acct_nobody', now: Date.now })
    await expect(nobodys.sell({})).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
    expect(await shop.countOrders()).toBe(before)
  })

  it('checks each attendee in once, and publishes attendee.checked_in', async () => {
    const { orderId, attendeeIds } = await shop.sell({ lines: [{ quantity: 2 }] })
    const [first, second] = [await shop.checkIn({ orderId }), await shop.checkIn({ orderId, gate: 'Side door' })]
    expect([first.attendeeId, second.attendeeId].sort()).toEqual([...attendeeIds].sort())
    await expect(shop.checkIn({ orderId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(shop.checkIn({ attendeeId: first.attendeeId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await eventsOf())[0]).toMatchObject({
      type: 'attendee.checked_in',
      subject: { type: 'attendee', id: second.attendeeId },
      data: { attendee: { order_id: orderId, gate: 'Side door' } },
    })
  })

  it('rolls back a check-in whose event cannot be published', async () => {
    const { orderId } = await shop.sell({})
    const nobodys = createShop({ database, callboard, accountId: 'acct_nobody', now: Date.now })
    await expect(nobodys.checkIn({ orderId })).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
    await expect(shop.checkIn({ orderId })).resolves.toMatchObject({ orderId })
  })
})
