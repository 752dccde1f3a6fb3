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
})
afterAll(() => world?.stop())

async function open(page: Page, path: string): Promise<Locator> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.goto(`${world.origin}/dashboard${path}`)
  return page.getByRole('main')
}

describe.each(HANDS)('by $name', (hands) => {
  it('one finds out why a delivery failed, mends it, and sends it again', async ({ page }) => {
    const main = await open(page, `/subscriptions/${accounts.broken.id}/deliveries`)
    await hands.press(main.getByRole('navigation', { name: 'State' }).getByRole('link', { name: 'Failed' }))
    await page.waitForURL(/state=exhausted/)
    const row = main.getByRole('row').filter({ hasText: 'order.paid' }).first()
    expect(await row.textContent()).toContain('500 Internal Server Error')
    await hands.press(row.getByRole('link').first())
    await main.getByText('Your endpoint answered 500 Internal Server Error.').waitFor()
    await hands.press(main.getByText('Response', { exact: true }).first())
    await main.getByText('database is locked').first().waitFor()

    const [, broken] = world.receivers
    broken?.answer('/orders', {})
    const eventId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await hands.press(main.getByRole('button', { name: 'Send again' }))
    await page.getByRole('status').filter({ hasText: 'It is sent again now' }).waitFor()
    await world.becomes(accounts.broken, eventId, 'delivered')
    expect(broken?.at('/orders').filter(({ headers }) => headers['webhook-id'] === eventId).length).toBe(4)
    await page.reload()
    await main.getByText('Your endpoint answered 200 OK.').waitFor()
  })
})

describe('without scripts', () => {
  it('a failed delivery is sent again', async ({ open: openPage }) => {
    const page = await openPage({ javaScriptEnabled: false })
    const main = await open(page, `/subscriptions/${accounts.broken.id}/deliveries?state=exhausted`)
    world.receivers[1]?.answer('/orders', {})
    await main.getByRole('row').filter({ hasText: 'order.paid' }).first().getByRole('link').first().click()
    const eventId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await main.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('status').filter({ hasText: 'It is sent again now' }).waitFor()
    await world.becomes(accounts.broken, eventId, 'delivered')
  })
})
