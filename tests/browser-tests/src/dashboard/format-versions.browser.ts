import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { versionedCatalog } from './catalog.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { inspectPage } from './inspect-page.ts'
import { signIn } from './viewers.ts'

const OLD = '2026-04-01'
let world: DashboardWorld
let subscription: string
let key: string
let event: string

beforeAll(async () => {
  world = await startDashboardWorld({ catalog: versionedCatalog })
  const { accounts, keys, subscriptions } = world.callboard
  await accounts.create({ id: 'harbour', name: 'Harbour Hall' })
  const target = { targetUrl: 'https://127.0.0.1/own', eventTypes: ['order.paid'], apiVersion: OLD } as const
  subscription = (await subscriptions.create({ accountId: 'harbour', ...target })).id
  key = (await keys.issue({ accountId: 'harbour', name: 'CRM', scopes: ['webhooks.read'], apiVersion: OLD })).id
  event = await world.sell('harbour', 'ord_1', { name: 'Ada', email: 'ada@example.com' })
})
afterAll(() => world?.stop())

describe('format versions in the dashboard', () => {
  it.for([
    ['the list of subscriptions', (): string => '/subscriptions', `${OLD} (deprecated)`],
    ['a subscription in a deprecated version', (): string => `/subscriptions/${subscription}`, 'is deprecated.'],
    ['the form of a subscription', (): string => `/subscriptions/${subscription}/edit`, 'Format version'],
    ['a key in a deprecated version', (): string => `/keys/${key}`, 'is deprecated.'],
    ['the form of a key', (): string => '/keys/new', 'Format version'],
    ['an event in two versions', (): string => `/events/${event}?version=${OLD}`, `As sent in version ${OLD}`],
  ] as const)('%s has no axe violations and no overflow', async ([name, path, text], { page, complaints }) => {
    await signIn(page, world.origin, world.everything('harbour'))
    await page.goto(`${world.origin}/dashboard${path()}`)
    expect(await page.textContent('main')).toContain(text)
    await inspectPage(page, `versions-${name.replaceAll(' ', '-')}`, { widths: [390, 1280] })
    expect(complaints).toEqual([])
    expect(world.errors).toEqual([])
  })

  it('a key is moved to another version with the keyboard alone', async ({ page }) => {
    await signIn(page, world.origin, world.everything('harbour'))
    await page.goto(`${world.origin}/dashboard/keys/${key}`)
    await page.locator('summary', { hasText: 'Change version' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('2026-10')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=moved/)
    expect(await world.callboard.keys.find({ accountId: 'harbour', id: key })).toMatchObject({
      apiVersion: '2026-10-01',
    })
  })
})
