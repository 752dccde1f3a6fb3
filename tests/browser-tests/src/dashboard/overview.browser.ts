import { createId } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { FAILING_RULE } from '@callboard/core/store'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { HANDS } from './hands.ts'
import { inspectPage } from './inspect-page.ts'
import { signIn } from './viewers.ts'

const LOOKS = { widths: [390, 1280] }
const MANY = 500

let world: DashboardWorld
let accounts: Accounts
beforeAll(async () => {
  world = await startDashboardWorld()
  accounts = await seedAccounts(world)
  await world.rest()
  await world.callboard.accounts.create({ id: 'empty', name: 'Nobody yet' })
  await world.callboard.accounts.create({ id: 'crowd', name: 'Crowd' })
  await crowd()
})
afterAll(() => world?.stop())

/** Gives the account `crowd` 500 subscriptions. A tenth of them refuse the signature, and each has attempts. */
async function crowd(): Promise<void> {
  const { store } = engineOf(world.callboard)
  for (let n = 0; n < MANY; n++) {
    const id = createId('sub')
    await store.subscriptions.createSubscription(
      {
        ...{ id, accountId: 'crowd', mode: 'live', source: 'dashboard', identity: undefined },
        ...{ enablesFrom: [], targetUrl: `https://hooks-${n % 40}.example.com/catch/${n}`, eventTypes: ['order.paid'] },
        ...{ integration: 'zapier', externalRef: undefined, apiVersion: '2026-10-01', sealedSecret: 'sealed' },
        ...{ confirmedBy: undefined, personalData: false },
      },
      { total: MANY, newPerMinute: MANY },
      {
        ...{ actor: { type: 'operator', id: 'test' }, action: 'subscription.created', details: {} },
        ...{ accountId: 'crowd', mode: 'live', objectId: id },
      },
    )
  }
  await world.sell('crowd', 'ord_1')
  await store.deliveries.sequence(10)
  const due = await store.deliveries.due({ limit: MANY, after: undefined })
  const lanes = await store.deliveries.lease({
    ...{ worker: 'w', call: 1, leaseMs: 60_000 },
    lanes: due.lanes.map((lane) => ({ ...lane, room: 10 })),
  })
  await store.deliveries.settle(
    lanes.map(({ lease, through, deliveries }, n) => ({
      ...{
        lease,
        settledThrough: through,
        subjects: [],
        breakerFailures: 0,
        slow: false,
        pauseMs: 0,
        disable: undefined,
        keep: false,
      },
      ...{ succeeded: n % 10 !== 0, failedAttempts: n % 10 === 0 ? 1 : 0, ended: [], retries: [] },
      attempts: deliveries.map(({ eventId }) => ({
        ...{ id: createId('att'), eventId, number: 1, reason: undefined, durationMs: 20 + n, response: undefined },
        ...(n % 10 === 0
          ? ({ outcome: 'exhausted', status: 401 } as const)
          : ({ outcome: 'delivered', status: 200 } as const)),
      })),
    })),
    FAILING_RULE,
  )
}

async function open(page: Page, accountId: string, path: string): Promise<void> {
  await signIn(page, world.origin, world.everything(accountId))
  const response = await page.goto(`${world.origin}/dashboard${path}`)
  expect(response?.status()).toBe(200)
}

describe('the dashboard in a real browser', () => {
  it.for([
    ['overview-failing', 'harbour', ''],
    ['overview-failing-month', 'harbour', '/overview?range=month'],
    ['overview-empty', 'empty', ''],
    ['overview-crowd', 'crowd', ''],
    ['events-outcomes', 'harbour', '/events'],
    ['events-failing', 'harbour', '/events?deliveries=failing'],
    ['events-none-found', 'harbour', '/events?search=ord_9999&from=2026-01-01T00%3A00&zone=UTC'],
    ['events-empty', 'empty', '/events'],
    ['events-crowd', 'crowd', '/events'],
    ['keys-empty', 'empty', '/keys'],
    ['keys-list', 'harbour', '/keys'],
    ['subscriptions-crowd', 'crowd', '/subscriptions'],
  ] as const)('shows %s without axe violations or overflow', async ([name, account, path], { page }) => {
    await open(page, account, path)
    await inspectPage(page, name, LOOKS)
    expect(world.errors).toEqual([])
  })

  it('shows a subscription, its deliveries, an event and a key without axe violations or overflow', async ({
    page,
  }) => {
    const [{ id: key = '' } = {}] = (await world.callboard.keys.list({ accountId: 'harbour' })).keys
    for (const [name, path] of [
      ['subscription-failing', `/subscriptions/${accounts.broken.id}`],
      ['deliveries-failing', `/subscriptions/${accounts.broken.id}/deliveries`],
      ['event-one', `/events/${accounts.lost}`],
      ['key-one', `/keys/${key}`],
    ] as const) {
      await open(page, 'harbour', path)
      await inspectPage(page, name, LOOKS)
    }
  })
})

describe.each(HANDS)('with $name', (hands) => {
  it('a viewer goes from the overview to the delivery that failed last', async ({ page }) => {
    await open(page, 'harbour', '')
    expect(new URL(page.url()).pathname).toBe('/dashboard/overview')
    const failures = page.getByRole('table', { name: 'Failed deliveries, newest failure first' })
    await hands.press(failures.getByRole('link', { name: 'order.paid' }).first())
    await page.waitForURL(/\/deliveries\/evt_/)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('order.paid')
  })

  it.for([390, 1280])(
    'a viewer sees the value of a bar, and follows it to its deliveries, at %i px',
    async (width, { page }) => {
      await page.setViewportSize({ width, height: 800 })
      await open(page, 'harbour', `/subscriptions/${accounts.broken.id}`)
      const bar = page.getByRole('list', { name: 'Attempts by hour' }).getByRole('link').last()
      const value = bar.getByText(/: [\d,]+ succeeded, [\d,]+ failed/)
      // Chromium still draws a clipped element, so its clip says whether it is seen.
      const isSeen = async () => (await value.evaluate((element) => getComputedStyle(element).clipPath)) === 'none'
      expect(await isSeen()).toBe(false)
      await hands.reach(bar)
      await expect.poll(isSeen).toBe(true)
      const { x, width: wide } = (await value.boundingBox())!
      expect([x >= 0, x + wide <= width]).toEqual([true, true])
      await hands.press(bar)
      await page.waitForURL(/\/deliveries\?from=/)
      expect(await page.getByRole('row').filter({ hasText: 'order.paid' }).count()).toBeGreaterThan(0)
    },
  )

  it('a viewer changes the time range of the overview, and the URL contains the new range', async ({ page }) => {
    await open(page, 'harbour', '')
    await hands.press(page.getByRole('link', { name: '7 days' }))
    await page.waitForURL(/range=week/)
    expect(await page.getByRole('link', { name: '7 days' }).getAttribute('aria-current')).toBe('true')
  })

  it('a viewer searches events by subject, and the link to the results works for another viewer', async ({
    page,
    open: more,
  }) => {
    await open(page, 'harbour', '/events')
    await hands.write(page.getByRole('searchbox', { name: 'Search' }), 'ord_1002')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=ord_1002/)
    const rows = page.getByRole('row').filter({ hasText: 'order.paid' })
    expect(await rows.count()).toBe(1)
    expect(await rows.textContent()).toMatch(/ord_1002.*Exhausted/)
    const other = await more({ timezoneId: 'Asia/Tokyo' })
    await signIn(other, world.origin, world.everything('harbour'))
    await other.goto(page.url())
    expect(await other.getByRole('row').filter({ hasText: 'ord_1002' }).count()).toBe(1)
  })
})
