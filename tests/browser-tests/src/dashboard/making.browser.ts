import { verify } from '@callboard/signature'
import type { Received } from '@callboard/testbed'
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
  await world.work()
})
afterAll(() => world?.stop())

async function open(page: Page, path = '/subscriptions'): Promise<Locator> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.goto(`${world.origin}/dashboard${path}`)
  return page.getByRole('main')
}

function target(path: string): string {
  return world.receivers[0]?.url(path) ?? ''
}

/** Publishes an order and returns the delivery that this path receives. */
async function delivered(path: string, order: string): Promise<Received> {
  const [receiver] = world.receivers
  const count = (receiver?.at(path).length ?? 0) + 1
  await world.sell('harbour', order)
  const received = await receiver?.received(path, count)
  return received?.at(-1) ?? expect.fail('nothing arrived')
}

/** Whether a receiver with this secret accepts a delivery. */
async function isTaken({ headers, body }: Received, secret: string): Promise<boolean> {
  return verify({ headers, body, secret }).then(
    () => true,
    () => false,
  )
}

async function secretOn(page: Page): Promise<string> {
  const text = await page.getByRole('region', { name: 'Signing secret' }).textContent()
  return /whsec_[A-Za-z0-9+/]{43}=/.exec(text ?? '')?.[0] ?? expect.fail('no secret')
}

async function make(path: string): Promise<{ id: string; secret: string }> {
  return world.callboard.subscriptions.create({
    accountId: 'harbour',
    targetUrl: target(path),
    eventTypes: ['order.paid'],
    description: path,
    personalData: false,
    idempotencyKey: path,
  })
}

describe.each(HANDS)('with $name', (hands) => {
  const way = hands.name.replaceAll(' ', '-')

  it('a subscription is created, and its secret verifies the delivery that arrives', async ({ page, complaints }) => {
    const main = await open(page)
    await hands.press(main.getByRole('link', { name: 'New subscription' }).first())
    await hands.write(main.getByLabel('Target URL'), 'http://example.com/plain')
    await hands.write(main.getByLabel('Name'), 'Ledger')
    await hands.press(main.getByRole('button', { name: 'Create subscription' }))
    const alert = main.getByRole('alert')
    // The summary links to the two fields that have errors.
    await alert.waitFor()
    expect(await alert.getByRole('link').count()).toBe(2)
    expect(await main.getByLabel('Name').inputValue()).toBe('Ledger')
    expect(await main.getByLabel('Target URL').getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => complaints, { timeout: 30_000 }).toEqual([expect.stringContaining('status of 400')])
    complaints.splice(0)
    await inspectPage(page, `refused-form-${way}`, { widths: [360] })

    await hands.write(main.getByLabel('Target URL'), target(`/made/${way}`))
    await hands.press(main.getByRole('checkbox', { name: 'order.paid' }))
    await hands.press(main.getByRole('button', { name: 'Create subscription' }))
    await main.getByRole('heading', { name: 'Subscription created' }).waitFor()
    const secret = await secretOn(page)
    await inspectPage(page, `secret-once-${way}`, { widths: [360, 1440] })
    expect(await isTaken(await delivered(`/made/${way}`, `ord_${way}`), secret)).toBe(true)

    await page.reload()
    await main.getByRole('heading', { name: 'This subscription has already been created' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await expect.poll(() => complaints, { timeout: 30_000 }).toEqual([expect.stringContaining('status of 409')])
    complaints.splice(0)
    await inspectPage(page, `created-before-${way}`, { widths: [390, 1280] })
    const { subscriptions } = await world.callboard.subscriptions.overview({
      accountId: 'harbour',
      search: `/made/${way}`,
    })
    expect(subscriptions.length, 'reloading creates no second one').toBe(1)
    await hands.press(main.getByRole('link', { name: 'View subscription' }))
    await main.getByRole('heading', { name: 'Ledger' }).waitFor()
    expect(await page.content()).not.toContain(secret)
  })

  it('a subscription is changed', async ({ page }) => {
    const { id } = await make(`/change/${way}`)
    const main = await open(page, `/subscriptions/${id}`)
    await hands.press(main.getByRole('link', { name: 'Edit' }))
    await hands.write(main.getByLabel('Target URL'), target(`/changed/${way}`))
    await hands.write(main.getByLabel('Name'), 'Another name')
    await hands.press(main.getByRole('button', { name: 'Save changes' }))
    await page.getByRole('status').filter({ hasText: 'Changes saved.' }).waitFor()
    await main.getByRole('heading', { name: 'Another name' }).waitFor()
    await delivered(`/changed/${way}`, `ord_changed_${way}`)
  })

  it('a subscription is disabled and enabled again', async ({ page }) => {
    const { id } = await make(`/switch/${way}`)
    const ref = { accountId: 'harbour', mode: 'live', id } as const
    const main = await open(page, `/subscriptions/${id}`)
    await hands.press(main.getByText('Disable', { exact: true }))
    await hands.press(main.getByRole('button', { name: 'Disable subscription' }))
    await page.getByRole('status').filter({ hasText: 'Subscription disabled.' }).waitFor()
    expect((await world.callboard.subscriptions.find(ref))?.state).toBe('disabled')
    await hands.press(main.getByRole('button', { name: 'Enable' }))
    await page.getByRole('status').filter({ hasText: 'Subscription enabled.' }).waitFor()
    await delivered(`/switch/${way}`, `ord_switched_${way}`)
  })

  it('a secret is rotated, and the old and the new secret verify deliveries for a while', async ({ page }) => {
    const { id, secret: former } = await make(`/rotate/${way}`)
    const main = await open(page, `/subscriptions/${id}#verify`)
    await main.getByText('WEBHOOK_SECRET').first().waitFor()
    await hands.press(main.getByText('Rotate secret', { exact: true }).first())
    await hands.pick(main.getByLabel('Keep the old secret valid for'), '1 hour')
    await hands.press(main.getByRole('button', { name: 'Rotate secret' }))
    await main.getByRole('heading', { name: 'Secret rotated' }).waitFor()
    const secret = await secretOn(page)
    expect(secret).not.toBe(former)
    const received = await delivered(`/rotate/${way}`, `ord_rotated_${way}`)
    expect([await isTaken(received, secret), await isTaken(received, former)]).toEqual([true, true])
  })

  it('a subscription is removed', async ({ page }) => {
    const { id } = await make(`/remove/${way}`)
    const main = await open(page, `/subscriptions/${id}`)
    await hands.press(main.getByText('Remove', { exact: true }))
    await hands.press(main.getByRole('button', { name: 'Remove subscription' }))
    await page.getByRole('status').filter({ hasText: 'Subscription removed.' }).waitFor()
    const ref = { accountId: 'harbour', mode: 'live', id } as const
    expect(await world.callboard.subscriptions.find(ref)).toBeUndefined()
  })
})

describe('without scripts', () => {
  it('a subscription is created, and a leaked secret is replaced at once', async ({ open: openPage }) => {
    const page = await openPage({ javaScriptEnabled: false })
    const main = await open(page, '/subscriptions/new')
    await main.getByLabel('Target URL').fill(target('/plain'))
    await main.getByRole('checkbox', { name: 'order.paid' }).check()
    await main.getByRole('button', { name: 'Create subscription' }).click()
    const former = await secretOn(page)
    await main.getByRole('link', { name: 'I have copied it' }).click()
    await main.getByText('Rotate secret', { exact: true }).first().click()
    await main.getByLabel('Keep the old secret valid for').selectOption({ label: 'No time: it stops immediately' })
    await main.getByRole('button', { name: 'Rotate secret' }).click()
    await main.getByRole('heading', { name: 'Secret rotated' }).waitFor()
    const secret = await secretOn(page)
    const received = await delivered('/plain', 'ord_plain')
    expect([await isTaken(received, secret), await isTaken(received, former)]).toEqual([true, false])
  })
})
