import { german } from '@callboard/dashboard/german'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { inspectPage, overflowing } from './inspect-page.ts'
import { signIn } from './viewers.ts'

let world: DashboardWorld
let accounts: Accounts
beforeAll(async () => {
  world = await startDashboardWorld({ texts: german, brand: { name: 'Harbour Hall' } })
  accounts = await seedAccounts(world)
})
afterAll(() => world?.stop())

async function open(page: Page, path: string, timeZone?: string): Promise<void> {
  await signIn(page, world.origin, { ...world.everything('harbour'), timeZone })
  await page.goto(`${world.origin}/dashboard${path}`)
}

/** The texts and titles of all times on the page, except the short ones on the axis of a chart. */
const timesOn = (page: Page): Promise<string[]> =>
  page
    .locator('time[data-time]')
    .evaluateAll((times) => times.flatMap((time) => [time.textContent, (time as HTMLElement).title]))

describe('a page', () => {
  it('keeps to the language of the dashboard, whatever the browser prefers', async ({ open: openPage }) => {
    const page = await openPage({ locale: 'en-US', timezoneId: 'America/New_York' })
    await open(page, `/subscriptions/${accounts.broken.id}`, 'Europe/Berlin')
    await page.getByText('Letzter Versuch').first().waitFor()
    const times = await timesOn(page)
    expect(times.length).toBeGreaterThan(4)
    for (const time of times)
      expect(time).toMatch(/^(?:vor .*|gestern|in .*|jetzt|\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d(?: \(.*\))?)$/)
    for (const word of ['ago', 'yesterday', 'AM', 'PM', 'New_York'])
      expect(await page.getByRole('main').textContent()).not.toMatch(new RegExp(`\\b${word}\\b`))
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
  })

  it('uses the browser’s time zone after its first visit, if the platform does not state one', async ({
    open: openPage,
  }) => {
    const page = await openPage({ timezoneId: 'Asia/Tokyo' })
    await open(page, `/subscriptions/${accounts.broken.id}`)
    await page.getByText('Alle Zeiten gelten für die Zeitzone Asia/Tokyo.').waitFor()
    for (const title of (await timesOn(page)).filter((_, index) => index % 2 === 1))
      expect(title).toMatch(/\(Asia\/Tokyo\)$/)
    const created = page.locator('time[data-time="full"]').last()
    const at = await created.getAttribute('datetime')
    const options = { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Tokyo' } as const
    expect(await created.textContent()).toBe(new Date(at ?? '').toLocaleString('de', options))
    // The second page shows this time zone at once, without a second load.
    const loads: string[] = []
    page.on('load', () => loads.push(page.url()))
    await page.getByRole('link', { name: 'Ereignisse' }).click()
    await page.getByText('Alle Zeiten gelten für die Zeitzone Asia/Tokyo.').waitFor()
    await page.waitForLoadState('networkidle')
    expect(loads).toHaveLength(1)
  })

  it('shows all times in UTC if the browser keeps no cookies', async ({ open: openPage }) => {
    const page = await openPage({ timezoneId: 'Asia/Tokyo' })
    await page.addInitScript(() => Object.defineProperty(document, 'cookie', { get: () => '', set: () => undefined }))
    await open(page, '/subscriptions')
    await page.getByText('Alle Zeiten gelten für die Zeitzone UTC.').waitFor()
    for (const title of (await timesOn(page)).filter((_, index) => index % 2 === 1)) expect(title).toMatch(/\(UTC\)$/)
  })

  it('shows the script’s messages in the dashboard’s language', async ({ page, complaints }) => {
    await open(page, `/subscriptions/${accounts.broken.id}`)
    await page.context().grantPermissions(['clipboard-write'])
    await page.getByRole('button', { name: 'Abonnement-ID kopieren' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Kopiert$/ })
      .waitFor({ state: 'attached' })
    await open(page, '/subscriptions/new')
    await page.getByLabel('Alle auswählen').check()
    await page.getByLabel('Ziel-URL').fill('http://example.com')
    await page.getByText('Verwenden Sie eine öffentliche https://-URL').waitFor()
    await page.clock.install()
    await open(page, '/subscriptions')
    await page.route('**/subscriptions', (route) => route.abort())
    await page.clock.runFor(10_000)
    await page
      .getByRole('banner')
      .getByText(/^Nicht mehr aktuell seit \d\d:\d\d$/)
      .waitFor()
    expect(complaints.splice(0).length).toBeGreaterThan(0)
  })

  it.for(['/subscriptions', '/subscriptions/new', '/keys/new', '/events', '/audit'])(
    'has room for German words: %s',
    async (path, { page }) => {
      await open(page, path)
      await inspectPage(page, `german${path.replaceAll('/', '-')}`)
      await page.setViewportSize({ width: 768, height: 900 })
      const brand = page.getByRole('banner').getByText('Harbour Hall')
      expect(await brand.evaluate((name) => name.scrollWidth - name.clientWidth)).toBe(0)
    },
  )

  it('has room for German words on the narrowest phone', async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 900 })
    for (const path of ['/overview', `/subscriptions/${accounts.broken.id}`]) {
      await open(page, path)
      expect(await overflowing(page), path).toEqual([])
    }
  })
})
