import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { HANDS } from './hands.ts'
import { signIn } from './viewers.ts'

let world: DashboardWorld
let accounts: Accounts
beforeAll(async () => {
  world = await startDashboardWorld()
  accounts = await seedAccounts(world)
  // Delivers the event `retried` first. Otherwise it might be resent along with the failed deliveries, depending on
  // when its retry is due.
  world.receivers[1]?.answer('/orders', {})
  await world.callboard.deliveries.resend({
    ...accounts.broken,
    subscriptionId: accounts.broken.id,
    eventId: accounts.retried,
  })
  await world.becomes(accounts.broken, accounts.retried, 'delivered')
})
afterAll(() => world?.stop())

async function open(page: Page, path: string): Promise<Locator> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.goto(`${world.origin}/dashboard${path}`)
  return page.getByRole('main')
}

/**
 * Publishes orders whose deliveries to `broken` become exhausted. The target fails until `mend` is called, so that no
 * retry succeeds before that.
 */
async function fail(...orders: string[]): Promise<string[]> {
  const [, broken] = world.receivers
  await world.work([30, 30])
  // One delivery succeeds first, which resets the count of failures. After five failures in a row, the subscription's
  // deliveries would be paused.
  broken?.answer('/orders', {})
  await world.becomes(accounts.broken, await world.sell('harbour', 'ord_0'), 'delivered')
  broken?.answer('/orders', { status: 500, body: '{"error":"database is locked"}' })
  const events: string[] = []
  for (const order of orders) events.push(await world.sell('harbour', order))
  for (const id of events) await world.becomes(accounts.broken, id, 'exhausted')
  return events
}

function mend(): void {
  world.receivers[1]?.answer('/orders', {})
}

function timesSent(eventId: string): number | undefined {
  return world.receivers[1]?.at('/orders').filter(({ headers }) => headers['webhook-id'] === eventId).length
}

describe.each(HANDS)('with $name', (hands) => {
  it('the pages show which subscription fails and why, and can resend its delivery', async ({ page }) => {
    const [eventId = ''] = await fail('ord_2001')
    const main = await open(page, '/subscriptions')
    const automation = main.getByRole('row').filter({ hasText: 'Make' })
    expect(await automation.textContent()).toContain('Failing')
    await hands.press(automation.getByRole('link').first())
    await main.getByText('The target returned 500 Internal Server Error. No delivery has succeeded for').waitFor()
    await hands.press(main.getByRole('link', { name: 'Show exhausted deliveries' }))
    const row = main.getByRole('row').filter({ hasText: 'ord_2001' })
    expect(await row.textContent()).toContain('500 Internal Server Error')
    await hands.press(row.getByRole('link').first())
    await main.getByText('The target returned 500 Internal Server Error.').waitFor()
    const second = main.getByRole('listitem').filter({ hasText: 'Attempt 2' })
    // The last response is expanded, and earlier responses can be expanded.
    await main.getByText('database is locked').first().waitFor()
    await hands.press(second.getByText('Response', { exact: true }))
    await second.getByText('database is locked').waitFor()

    mend()
    await hands.press(main.getByRole('button', { name: 'Resend' }))
    await page.getByRole('status').filter({ hasText: 'The delivery was queued to be resent' }).waitFor()
    await world.becomes(accounts.broken, eventId, 'delivered')
    expect(timesSent(eventId)).toBe(4)
    await page.reload()
    await main.getByText('The target returned 200 OK.').waitFor()
  })

  it('all failed deliveries are resent, and the page says how many', async ({ page }) => {
    const events = await fail('ord_3001', 'ord_3002')
    const { deliveries } = await world.callboard.deliveries.list({
      ...accounts.broken,
      subscriptionId: accounts.broken.id,
      state: 'exhausted',
      limit: 100,
    })
    const main = await open(page, `/subscriptions/${accounts.broken.id}/deliveries`)
    await hands.press(main.getByRole('link', { name: 'Resend deliveries' }))
    await main.getByRole('radio', { name: 'In the last 24 hours', checked: true }).waitFor()
    mend()
    await hands.press(main.getByRole('button', { name: 'Continue' }))
    await main.getByText(`About to resend ${deliveries.length} deliveries`).waitFor()
    await hands.press(main.getByRole('button', { name: 'Resend' }))
    await main.getByText(`${deliveries.length} deliveries are being resent.`).waitFor()
    for (const id of events) await world.becomes(accounts.broken, id, 'delivered')
  })

  it('an event and its deliveries can be found', async ({ page }) => {
    await open(page, '/subscriptions')
    const main = page.getByRole('main')
    await hands.press(page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Events' }))
    await hands.pick(main.getByRole('combobox', { name: 'Event type' }), 'attendee.checked_in')
    await page.waitForURL(/type=attendee/)
    expect(await main.getByRole('link', { name: 'order.paid' }).count()).toBe(0)
    await hands.press(main.getByRole('link', { name: 'attendee.checked_in' }))
    await main.getByText('"att_1"').first().waitFor()
    const { host } = new URL(world.receivers[3]?.url('/door') ?? '')
    expect(await main.getByRole('row').filter({ hasText: host }).textContent()).toContain('timed out')
  })
})

describe('without scripts', () => {
  it('a list is filtered with a button', async ({ open: openPage }) => {
    const page = await openPage({ javaScriptEnabled: false })
    const main = await open(page, '/events')
    await main.getByRole('combobox', { name: 'Event type' }).selectOption({ label: 'attendee.checked_in' })
    await main.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/type=attendee/)
    expect(await main.getByRole('link', { name: 'order.paid' }).count()).toBe(0)
  })

  it('a failed delivery is resent', async ({ open: openPage }) => {
    const [eventId = ''] = await fail('ord_4001')
    const page = await openPage({ javaScriptEnabled: false })
    const main = await open(page, `/subscriptions/${accounts.broken.id}/deliveries?state=exhausted`)
    await main.getByRole('row').filter({ hasText: 'ord_4001' }).getByRole('link').first().click()
    mend()
    await main.getByRole('button', { name: 'Resend' }).click()
    await page.getByRole('status').filter({ hasText: 'The delivery was queued to be resent' }).waitFor()
    await world.becomes(accounts.broken, eventId, 'delivered')
  })

  it('all failed deliveries are resent', async ({ open: openPage }) => {
    const events = await fail('ord_5001', 'ord_5002')
    const page = await openPage({ javaScriptEnabled: false })
    const main = await open(page, `/subscriptions/${accounts.broken.id}/resend`)
    mend()
    await main.getByRole('button', { name: 'Continue' }).click()
    await main.getByText(/^About to resend \d+ deliveries$/).waitFor()
    await main.getByRole('button', { name: 'Resend' }).click()
    await main.getByText(/\d deliveries are being resent/).waitFor()
    for (const id of events) await world.becomes(accounts.broken, id, 'delivered')
  })
})
