import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { signIn } from './viewers.ts'

let world: DashboardWorld
let accounts: Accounts
beforeAll(async () => {
  world = await startDashboardWorld()
  accounts = await seedAccounts(world)
})
afterAll(() => world?.stop())

/** Opens a page whose clock is the test's, so that nobody waits for the next refresh. */
async function open(page: Page, path: string): Promise<void> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.clock.install()
  await page.goto(`${world.origin}/dashboard${path}`)
}

/** Lets so much of the page's time go by that it has looked for news. */
async function refresh(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().resourceType() === 'fetch')
  await page.clock.runFor(10_000)
  await (await answered).finished()
}

describe('a page that is live', () => {
  it('shows a new subscription by itself, and takes neither focus nor place from who reads', async ({ page }) => {
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
    // Less than a row is high: what it says of time may take another line.
    expect(Math.abs(now.top - before.top)).toBeLessThan(40)
  })

  it('is quiet while nothing happens: nothing in it is made anew', async ({ page }) => {
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
})
