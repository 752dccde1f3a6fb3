import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { inspectPage } from './inspect-page.ts'
import { signIn } from './viewers.ts'

/** How many items each list has: more than one page shows. */
const MANY = 26

let world: DashboardWorld
let accounts: Accounts
beforeAll(async () => {
  world = await startDashboardWorld()
  accounts = await seedAccounts(world)
  for (let index = 0; index < MANY; index++) {
    await world.callboard.subscriptions.create({
      accountId: 'harbour',
      targetUrl: `https://receiver-${index}.example.com/webhooks/orders-and-attendees`,
      eventTypes: ['order.paid', 'attendee.checked_in'],
      description: index % 2 === 0 ? `Bookkeeping of department ${index}` : undefined,
      idempotencyKey: `many-${index}`,
    })
    await world.sell('harbour', `ord_many_${index}`)
  }
  const { subscriptions } = world.callboard
  const [newest] = await subscriptions.list({ accountId: 'harbour' })
  if (newest !== undefined) await subscriptions.disable({ ...newest, by: 'platform' })
})
afterAll(() => world?.stop())

async function open(page: Page, path: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 844 })
  await signIn(page, world.origin, world.everything('harbour'))
  await page.goto(`${world.origin}/dashboard${path}`)
}

const heights = (page: Page, selector: string): Promise<number[]> =>
  page.locator(selector).evaluateAll((all) => all.map((element) => element.getBoundingClientRect().height))

describe('a long list', () => {
  it.for(['/subscriptions', '/events', '/keys', '/audit'])('is short on a phone: %s', async (path, { page }) => {
    await open(page, path, 390)
    expect(Math.max(...(await heights(page, '.data-table tbody tr')))).toBeLessThanOrEqual(130)
    await inspectPage(page, `long${path.replace('/', '-')}`, { widths: [390, 1000, 1280] })
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2_900)
  })

  it.for(['/subscriptions', '/events', '/keys', '/audit'])('has rows of two lines: %s', async (path, { page }) => {
    await open(page, path, 1280)
    const rows = await heights(page, '.data-table tbody tr')
    expect(rows.length).toBeGreaterThan(3)
    expect(Math.max(...rows)).toBeLessThanOrEqual(60)
  })

  it('shows the state with its reason in at most two lines, and on a phone in one', async ({ page }) => {
    for (const [width, height] of [
      [390, 24],
      [1280, 40],
    ] as const) {
      await open(page, '/subscriptions', width)
      await page.getByText('The platform disabled it').waitFor()
      expect(Math.max(...(await heights(page, '.column-state .cell')))).toBeLessThanOrEqual(height)
    }
  })
})

it('the page of a subscription, a delivery or an event is short on a phone', async ({ page }) => {
  for (const path of [
    `/subscriptions/${accounts.own.id}`,
    `/subscriptions/${accounts.broken.id}/deliveries/${accounts.lost}`,
    `/events/${accounts.lost}`,
  ]) {
    await open(page, path, 390)
    expect(await page.evaluate(() => document.documentElement.scrollHeight), path).toBeLessThan(2_900)
  }
})
