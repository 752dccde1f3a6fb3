import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { signIn } from './viewers.ts'

const HOUR_MS = 3_600_000

let world: DashboardWorld
let accounts: Accounts
beforeAll(async () => {
  world = await startDashboardWorld()
  accounts = await seedAccounts(world)
})
afterAll(() => world?.stop())

/** Opens a page whose clock the test controls, so that the test need not wait for the next refresh. */
async function open(page: Page, path: string): Promise<void> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.clock.install()
  await page.goto(`${world.origin}/dashboard${path}`)
}

/** If a new hour is about to begin, waits until it has begun, because charts then get a new bar. */
async function withinOneHour(): Promise<void> {
  const left = HOUR_MS - (Date.now() % HOUR_MS)
  if (left < 30_000) await delay(left + 1_000)
}

/** Advances the page's clock until the page has refreshed. */
async function refresh(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().resourceType() === 'fetch')
  await page.clock.runFor(10_000)
  await (await answered).finished()
}

describe('a live page', () => {
  it('shows a new subscription without moving the reader’s focus or scroll position', async ({ page }) => {
    await page.setViewportSize({ width: 768, height: 150 })
    await open(page, '/subscriptions')
    const link = page
      .getByRole('main')
      .getByRole('link', { name: /127\.0\.0\.1/ })
      .last()
    await link.focus()
    const focused = () =>
      page.evaluate(() => {
        const { activeElement } = document
        return { href: activeElement?.getAttribute('href'), top: activeElement?.getBoundingClientRect().top ?? 0 }
      })
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0)
    const before = await focused()
    const targetUrl = world.receivers[0]?.url('/hooks/catch/2077') ?? ''
    await world.subscribe('harbour', { targetUrl, eventTypes: ['order.paid'], integration: 'other' })
    await refresh(page)
    await page.getByText('/hooks/catch/2077').waitFor()
    const now = await focused()
    expect(now.href).toBe(before.href)
    // Allows a shift of less than a row's height, because a time such as “3 minutes ago” can get longer and wrap.
    expect(Math.abs(now.top - before.top)).toBeLessThan(40)
  })

  it('does not call itself updated while it shows nothing new, because the reader has selected text', async ({
    page,
  }) => {
    await open(page, '/subscriptions')
    let answer = (): void => undefined
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/*', async (route) => {
      if (route.request().resourceType() === 'fetch') await held
      await route.continue()
    })
    const asked = page.waitForRequest((request) => request.resourceType() === 'fetch')
    const answered = page.waitForResponse((response) => response.request().resourceType() === 'fetch')
    await page.clock.runFor(10_000)
    await asked
    await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('main') ?? document.body))
    answer()
    await (await answered).finished()
    await page.clock.runFor(1_000)
    const text = await page.locator('[data-live-state]').textContent()
    expect(Number(/\d+/.exec(text ?? '')), `${text}`).toBeGreaterThan(10)
    await page.clock.runFor(120_000)
    expect(await page.locator('[data-live-state]').textContent()).toBe('Updated 2 min. ago')
  })

  it('replaces no elements while nothing changes', async ({ page }) => {
    await withinOneHour()
    await open(page, `/subscriptions/${accounts.healthy.id}`)
    await page.evaluate(() => {
      const seen: string[] = []
      Object.assign(globalThis, { seen })
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes) if (node instanceof Element) seen.push(node.outerHTML.slice(0, 100))
      }).observe(document.body, { childList: true, subtree: true })
    })
    await refresh(page)
    await refresh(page)
    expect(await page.evaluate(() => (globalThis as { seen?: string[] }).seen)).toEqual([])
  })

  it('shows the next attempt of a delivery, and leaves details open or closed as the reader left them', async ({
    page,
  }) => {
    const [, broken] = world.receivers
    const tryAgain = async (attempts: number, status: number): Promise<void> => {
      broken?.answer('/orders', { status, body: `answered ${status}` })
      await world.callboard.deliveries.resend({ ...accounts.broken, subscriptionId: accounts.broken.id, eventId })
      await vi.waitFor(
        async () => {
          const log = await world.callboard.deliveries.attempts({
            ...accounts.broken,
            subscriptionId: accounts.broken.id,
            eventId,
          })
          expect(log.attempts.length).toBeGreaterThanOrEqual(attempts)
        },
        { timeout: 60_000 },
      )
    }
    // The retry delays are long, so that only the test retries. One delivery succeeds first, which resets the count of
    // failures. Five failures in a row would pause deliveries.
    await world.work([600_000, 600_000, 600_000])
    broken?.answer('/orders', {})
    await world.becomes(accounts.broken, await world.sell('harbour', 'ord_6000'), 'delivered')
    broken?.answer('/orders', { status: 500, body: 'database is locked' })
    const eventId = await world.sell('harbour', 'ord_6001')
    await world.becomes(accounts.broken, eventId, 'retrying')
    await tryAgain(2, 502)
    await open(page, `/subscriptions/${accounts.broken.id}/deliveries/${eventId}`)
    const attempt = (number: number) => page.getByRole('listitem').filter({ hasText: `Attempt ${number}:` })
    await attempt(2).getByText('answered 502').waitFor()
    await attempt(2).getByText('Response', { exact: true }).click()
    await attempt(2).getByText('answered 502').waitFor({ state: 'hidden' })
    await attempt(1).getByText('Response', { exact: true }).click()
    await attempt(1).getByText('database is locked').waitFor()

    await tryAgain(3, 503)
    await refresh(page)
    await attempt(3).waitFor()
    expect(await attempt(1).getByText('database is locked').isVisible()).toBe(true)
    expect(await attempt(2).getByText('answered 502').isVisible()).toBe(false)
    const opener = attempt(1).getByText('Response', { exact: true })
    expect(await opener.evaluate((summary) => summary === document.activeElement)).toBe(true)
  })
})
