import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { signIn } from './viewers.ts'

let world: DashboardWorld
let id: string
beforeAll(async () => {
  world = await startDashboardWorld()
  await world.callboard.accounts.create({ id: 'harbour', name: 'Harbour Hall' })
})
afterAll(() => world?.stop())
// All tests share the browser's clipboard. Each test copies an id of its own, so that it cannot find what another test
// copied.
beforeEach(async ({ task }) => {
  const targetUrl = world.receivers[0]?.url('/copied') ?? ''
  ;({ id } = await world.callboard.subscriptions.create({
    accountId: 'harbour',
    targetUrl,
    eventTypes: ['order.paid'],
    personalData: false,
    idempotencyKey: task.id,
  }))
})

/**
 * Opens a subscription's page and stops the page's clock, so that the button's message stays until the test advances
 * the clock.
 */
async function open(page: Page): Promise<void> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 3_600_000)
  await page.goto(`${world.origin}/dashboard/subscriptions/${id}`)
}

const copyButton = (page: Page) => page.getByRole('button', { name: 'Copy subscription ID' })

/** Pastes the clipboard into a field and returns the text. */
async function pasted(page: Page): Promise<string> {
  await page.goto(`${world.origin}/dashboard/subscriptions/new`)
  const field = page.getByLabel('Name')
  await field.focus()
  await page.keyboard.press('ControlOrMeta+V')
  return field.inputValue()
}

/** Waits for a message on the button and for screen readers, and then for the button's usual label. */
async function hears(page: Page, words: string): Promise<void> {
  await copyButton(page).filter({ hasText: words }).waitFor()
  await page.clock.runFor(100)
  await page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${words}$`) })
    .waitFor({ state: 'attached' })
  await page.clock.runFor(2_000)
  await copyButton(page)
    .filter({ hasText: /^Copy$/ })
    .waitFor()
}

describe('a copy button', () => {
  it('copies to the clipboard, and says so visibly and to screen readers', async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page)
    await copyButton(page).click()
    await hears(page, 'Copied')
    expect(await pasted(page)).toBe(id)
  })

  it('works with the keyboard, and keeps the focus', async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page)
    await copyButton(page).focus()
    await page.keyboard.press('Enter')
    await hears(page, 'Copied')
    expect(await copyButton(page).evaluate((button) => button === document.activeElement)).toBe(true)
    expect(await pasted(page)).toBe(id)
  })

  it('says so when the browser refuses to copy', async ({ page }) => {
    // Granting any permission makes the browser refuse all others, including clipboard access.
    await page.context().grantPermissions(['geolocation'])
    await open(page)
    await copyButton(page).click()
    await hears(page, 'Copy failed')
  })

  it('copies without the clipboard API, as on a page without HTTPS', async ({ page }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await open(page)
    await copyButton(page).click()
    await hears(page, 'Copied')
    expect(await pasted(page)).toBe(id)
  })

  it('is not shown without scripts', async ({ open: openPage }) => {
    const page = await openPage({ javaScriptEnabled: false })
    await signIn(page, world.origin, world.everything('harbour'))
    await page.goto(`${world.origin}/dashboard/subscriptions/${id}`)
    await page.getByText(id).first().waitFor()
    expect(await copyButton(page).count()).toBe(0)
  })
})
