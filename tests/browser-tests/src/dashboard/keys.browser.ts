import { createClient } from '@callboard/client'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { HANDS } from './hands.ts'
import { inspectPage } from './inspect-page.ts'
import { signIn } from './viewers.ts'

let world: DashboardWorld
beforeAll(async () => {
  world = await startDashboardWorld()
  await world.callboard.accounts.create({ id: 'harbour', name: 'Harbour Hall' })
})
afterAll(() => world?.stop())

async function open(page: Page, path = '/keys'): Promise<Locator> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.goto(`${world.origin}/dashboard${path}`)
  return page.getByRole('main')
}

async function tokenOn(page: Page): Promise<string> {
  const text = await page.getByRole('region', { name: 'API key' }).textContent()
  return /cb_live_[A-Za-z0-9]{71}/.exec(text ?? '')?.[0] ?? expect.fail('no token')
}

/** The scopes of a token, or the code with which the API refuses it. */
async function scopesOf(apiKey: string): Promise<unknown> {
  const client = createClient({ baseUrl: `${world.origin}/api`, apiKey })
  return client.me().then(
    ({ scopes }) => scopes,
    ({ code }) => code,
  )
}

describe.each(HANDS)('with $name', (hands) => {
  const way = hands.name.replaceAll(' ', '-')

  it('a key is issued with the scopes that were ticked', async ({ page }) => {
    const main = await open(page)
    await hands.press(main.getByRole('link', { name: 'Create API key' }))
    await hands.write(main.getByLabel('Name'), `Zapier ${way}`)
    await hands.press(main.getByRole('checkbox', { name: 'Create and remove subscriptions' }))
    await hands.press(main.getByRole('button', { name: 'Create key' }))
    await main.getByRole('heading', { name: 'Key created' }).waitFor()
    const token = await tokenOn(page)
    await inspectPage(page, `key-issued-${way}`, { widths: [360, 1440] })
    expect(await scopesOf(token)).toEqual(['webhooks.read'])
    await hands.press(main.getByRole('link', { name: 'I have copied it' }))
    await main.getByRole('heading', { name: `Zapier ${way}` }).waitFor()
    expect(await page.content()).not.toContain(token)
  })

  it('a key is rotated, and the old and the new key work for a while', async ({ page }) => {
    const { id, token: old } = await world.callboard.keys.issue({ accountId: 'harbour', name: way, scopes: [] })
    const main = await open(page, `/keys/${id}`)
    await hands.press(main.getByText('Rotate', { exact: true }))
    await hands.pick(main.getByLabel('Keep the old key valid for'), '1 hour')
    await hands.press(main.getByRole('button', { name: 'Rotate key' }))
    await main.getByRole('heading', { name: 'Key rotated' }).waitFor()
    expect([await scopesOf(await tokenOn(page)), await scopesOf(old)]).toEqual([[], []])
  })

  it('a key is revoked, and stops working', async ({ page }) => {
    const { id, token } = await world.callboard.keys.issue({ accountId: 'harbour', name: way, scopes: [] })
    const main = await open(page, `/keys/${id}`)
    await hands.press(main.getByText('Revoke', { exact: true }))
    await main.getByText('No active subscription depends on it.').waitFor()
    await hands.press(main.getByRole('button', { name: 'Revoke key' }))
    await main.getByText('Revoked', { exact: true }).first().waitFor()
    expect(await scopesOf(token)).toBe('UNAUTHENTICATED')
  })
})
