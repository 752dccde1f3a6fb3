import { createDashboard } from '@callboard/dashboard'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { serve } from '../serve.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { overflowing } from './inspect-page.ts'
import { HOSTILE } from './strangers.ts'
import { suspiciousElements } from './suspicious-elements.ts'
import { signIn, viewerOf } from './viewers.ts'

const WIDE = '<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="100" />'

let world: DashboardWorld
let id: string
beforeAll(async () => {
  world = await startDashboardWorld()
  await world.callboard.accounts.create({ id: 'harbour', name: 'Harbour Hall' })
  const targetUrl = world.receivers[0]?.url('/named') ?? ''
  ;({ id } = await world.callboard.subscriptions.create({
    accountId: 'harbour',
    targetUrl,
    eventTypes: ['order.paid'],
    personalData: false,
    idempotencyKey: 'named',
  }))
})
afterAll(() => world?.stop())

async function open(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 800 })
  await signIn(page, world.origin, world.everything('harbour'))
  await page.goto(`${world.origin}/dashboard${path}`)
}

async function expectHarmless(page: Page): Promise<void> {
  expect(await suspiciousElements(page)).toEqual([])
  expect(await overflowing(page)).toEqual([])
  expect(world.errors).toEqual([])
}

/** Removes invisible characters, and the code points shown instead of them, so that two strings can be compared. */
function seen(text: string): string {
  return text.replace(/U\+[0-9A-F]{4}/g, '').replace(/[\p{Cf}\s]/gu, '')
}

// The dashboard trims names, so the tests enter trimmed names.
describe.each(HOSTILE.map((text) => text.trim()))('the name %j', (name) => {
  it('is shown as written, does nothing, and is unchanged in the form', async ({ page }) => {
    await open(page, `/subscriptions/${id}/edit`)
    const main = page.getByRole('main')
    const field = main.getByLabel('Name')
    await field.fill(name)
    await main.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('status').filter({ hasText: 'Changes saved.' }).waitFor()
    expect(seen((await main.getByRole('heading', { level: 1 }).textContent()) ?? '')).toBe(seen(name))
    await expectHarmless(page)

    await open(page, '/subscriptions')
    expect(seen((await main.getByRole('table').textContent()) ?? '')).toContain(seen(name))
    await expectHarmless(page)

    await open(page, `/subscriptions/${id}/edit`)
    expect(await field.inputValue()).toBe(name)
    await expectHarmless(page)
  })

  it('is still in the form after the form was refused because of another field', async ({ page, complaints }) => {
    await open(page, '/subscriptions/new')
    const main = page.getByRole('main')
    await main.getByLabel('Name').fill(name)
    await main.getByRole('button', { name: 'Create subscription' }).click()
    await main.getByRole('alert').waitFor()
    expect(await main.getByLabel('Name').inputValue()).toBe(name)
    await expectHarmless(page)
    expect(complaints.splice(0)).toEqual([expect.stringContaining('status of 400')])
  })
})

it.for([
  ['name', { name: 'Harbour Hall Ticketing and Events '.repeat(3) }],
  ['logo', { name: 'Wide', logo: `data:image/svg+xml,${encodeURIComponent(WIDE)}` }],
] as const)('a long %s of the platform leaves room for the page', async ([, brand], { page }) => {
  const dashboard = createDashboard(world.callboard, { authorize: viewerOf, brand })
  const served = await serve((request) => dashboard.fetch(request))
  try {
    await signIn(page, served.origin, world.everything('harbour'))
    for (const width of [360, 800, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${served.origin}/dashboard/overview`)
      expect(await overflowing(page)).toEqual([])
    }
  } finally {
    await served.stop()
  }
})
