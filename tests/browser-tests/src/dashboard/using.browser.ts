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
  // Else it would be sent again along with what failed, or not, as its next try comes.
  world.receivers[1]?.answer('/orders', {})
  await world.callboard.deliveries.resend(accounts.broken, accounts.retried)
  await world.becomes(accounts.broken, accounts.retried, 'delivered')
})
afterAll(() => world?.stop())

async function open(page: Page, path: string): Promise<Locator> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.goto(`${world.origin}/dashboard${path}`)
  return page.getByRole('main')
}

/** Orders that the target of `broken` was tried with in vain. It goes on failing until `mend`: a retry that arrived meanwhile would hide what fails. */
async function fail(...orders: string[]): Promise<string[]> {
  const [, broken] = world.receivers
  await world.work([30, 30])
  // One success first: five failures in a row would have it left alone for a while.
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

describe.each(HANDS)('by $name', (hands) => {
  it('one finds out by looking which automation fails and why, and sends it again', async ({ page }) => {
    const [eventId = ''] = await fail('ord_2001')
    const main = await open(page, '')
    const automation = main.getByRole('row').filter({ hasText: 'Managed by Make' })
    expect(await automation.textContent()).toContain('Failing')
    await hands.press(automation.getByRole('link').first())
    await main.getByText('Your endpoint answered 500 Internal Server Error. Nothing has arrived for').waitFor()
    await hands.press(main.getByRole('link', { name: 'Show what failed' }))
    const row = main.getByRole('row').filter({ hasText: eventId })
    expect(await row.textContent()).toContain('500 Internal Server Error')
    await hands.press(row.getByRole('link').first())
    await main.getByText('Your endpoint answered 500 Internal Server Error.').waitFor()
    const second = main.getByRole('listitem').filter({ hasText: 'Attempt 2' })
    // What came back last is open, what came before can be opened.
    await main.getByText('database is locked').first().waitFor()
    await hands.press(second.getByText('Response', { exact: true }))
    await second.getByText('database is locked').waitFor()

    mend()
    await hands.press(main.getByRole('button', { name: 'Send again' }))
    await page.getByRole('status').filter({ hasText: 'It is sent again now' }).waitFor()
    await world.becomes(accounts.broken, eventId, 'delivered')
    expect(timesSent(eventId)).toBe(4)
    await page.reload()
    await main.getByText('Your endpoint answered 200 OK.').waitFor()
  })

  it('one sends again at once all that failed, and sees how far it is', async ({ page }) => {
    const events = await fail('ord_3001', 'ord_3002')
    const { deliveries } = await world.callboard.deliveries.list(accounts.broken, { state: 'exhausted', limit: 100 })
    const main = await open(page, `/subscriptions/${accounts.broken.id}/deliveries`)
    await hands.press(main.getByRole('link', { name: 'Send failed ones again' }))
    await main.getByRole('radio', { name: 'The last 24 hours', checked: true }).waitFor()
    mend()
    await hands.press(main.getByRole('button', { name: 'Send again' }))
    await main.getByText(`Done: ${deliveries.length} sent again.`).waitFor()
    for (const id of events) await world.becomes(accounts.broken, id, 'delivered')
  })

  it('one looks an event up, and sees where it went', async ({ page }) => {
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
  it('a list is narrowed by a button', async ({ open: openPage }) => {
    const page = await openPage({ javaScriptEnabled: false })
    const main = await open(page, '/events')
    await main.getByRole('combobox', { name: 'Event type' }).selectOption({ label: 'attendee.checked_in' })
    await main.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/type=attendee/)
    expect(await main.getByRole('link', { name: 'order.paid' }).count()).toBe(0)
  })

  it('a failed delivery is sent again', async ({ open: openPage }) => {
    const [eventId = ''] = await fail('ord_4001')
    const page = await openPage({ javaScriptEnabled: false })
    const main = await open(page, `/subscriptions/${accounts.broken.id}/deliveries?state=exhausted`)
    await main.getByRole('row').filter({ hasText: eventId }).getByRole('link').first().click()
    mend()
    await main.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('status').filter({ hasText: 'It is sent again now' }).waitFor()
    await world.becomes(accounts.broken, eventId, 'delivered')
  })

  it('all that failed is sent again', async ({ open: openPage }) => {
    const events = await fail('ord_5001', 'ord_5002')
    const page = await openPage({ javaScriptEnabled: false })
    const main = await open(page, `/subscriptions/${accounts.broken.id}/resend`)
    mend()
    await main.getByRole('button', { name: 'Send again' }).click()
    await main.getByText(/\d deliveries are sent again now/).waitFor()
    for (const id of events) await world.becomes(accounts.broken, id, 'delivered')
  })
})
