import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { signIn } from './viewers.ts'

let world: DashboardWorld
beforeAll(async () => {
  world = await startDashboardWorld()
  await world.callboard.accounts.create({ id: 'harbour', name: 'Harbour Hall' })
})
afterAll(() => world?.stop())

const REFUSED = 'Use a public https:// URL'
const TAKEN = 'This target can be used.'

/** Opens the form for a new subscription, on a page whose clock is stopped until the test advances it. */
async function open(page: Page): Promise<Locator> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 3_600_000)
  await page.goto(`${world.origin}/dashboard/subscriptions/new`)
  return page.getByLabel('Target URL')
}

/** Advances the page's clock by a second, as if the viewer had stopped typing. */
async function pause(page: Page): Promise<void> {
  await page.clock.runFor(1_000)
}

/** Collects the addresses sent to the check. */
function listen(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(new URLSearchParams(request.postData() ?? '').get('targetUrl') ?? '')
  })
  return asked
}

/** The field's description for screen readers. */
async function description(field: Locator): Promise<string> {
  return field.evaluate((input) =>
    (input.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .join(' '),
  )
}

describe('a typed address', () => {
  it('is checked once when typing stops, and nothing is sent to it', async ({ page }) => {
    const asked = listen(page)
    const field = await open(page)
    const address = world.receivers[0]?.url('/typed') ?? ''
    await field.pressSequentially(address)
    expect(asked, 'nothing is checked while somebody types').toEqual([])
    await pause(page)
    await page.getByText(TAKEN).waitFor()
    expect(asked).toEqual([address])
    expect(await description(field)).toContain(TAKEN)
    expect(world.receivers[0]?.log).toEqual([])
  })

  it('is marked as wrong if it is refused, until the viewer types again', async ({ page }) => {
    const field = await open(page)
    await field.pressSequentially('http://example.com')
    await pause(page)
    await page.getByText(REFUSED).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await description(field)).toContain(REFUSED)
    await field.press('End')
    await field.press('/')
    expect(await page.getByText(REFUSED).count()).toBe(0)
    expect(await field.getAttribute('aria-invalid')).toBe(null)
    await field.fill('https://example.com/hooks')
    await pause(page)
    await page.getByText(TAKEN).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe(null)
  })

  it('is not checked before it has a host', async ({ page }) => {
    const asked = listen(page)
    const field = await open(page)
    for (const begun of ['h', 'https:/', 'https://', '']) {
      await field.fill(begun)
      await pause(page)
    }
    await field.fill('https://e')
    await pause(page)
    await page.locator('.field-error', { hasText: /./ }).waitFor()
    expect(asked).toEqual(['https://e'])
  })

  it('is not affected by a late response about an earlier value', async ({ page }) => {
    const field = await open(page)
    const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
    await page.route('**/check-target', async (route) => {
      if (!route.request().postData()?.includes('plain')) return route.continue()
      await goOn
      // By now the page has aborted the request, so continuing it can fail.
      await route.continue().catch(() => undefined)
      await route.request().response()
      settle()
    })
    const first = page.waitForRequest('**/check-target')
    await field.fill('http://example.com/plain')
    await pause(page)
    await first
    await field.fill('https://example.com/hooks')
    await pause(page)
    await page.getByText(TAKEN).waitFor()
    letGo()
    await settled
    expect(await page.getByText(TAKEN).count()).toBe(1)
    expect(await page.getByText(REFUSED).count()).toBe(0)
  })

  it('gets no message if the check itself fails, and the form can still be submitted', async ({ page, complaints }) => {
    const field = await open(page)
    await page.route('**/check-target', (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    const address = world.receivers[0]?.url('/unchecked') ?? ''
    await field.fill(address)
    await pause(page)
    await failed
    expect(await page.locator('.field-error', { hasText: /./ }).count()).toBe(0)
    await page.getByRole('checkbox', { name: 'order.paid' }).check()
    await page.getByRole('button', { name: 'Create subscription' }).click()
    await page.getByRole('heading', { name: 'Subscription created' }).waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
  })
})
