import { verify } from '@callboard/signature'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { HANDS, type Hands } from './hands.ts'
import { inspectPage } from './inspect-page.ts'
import { signIn } from './viewers.ts'

let world: DashboardWorld
beforeAll(async () => {
  // No worker runs, so only the button sends events.
  world = await startDashboardWorld()
  await world.callboard.accounts.create({ id: 'harbour', name: 'Harbour Hall' })
})
afterAll(() => world?.stop())

interface Made {
  readonly id: string
  readonly secret: string
  readonly path: string
}

async function make(path: string): Promise<Made> {
  const { id, secret } = await world.callboard.subscriptions.create({
    accountId: 'harbour',
    targetUrl: world.receivers[0]?.url(path) ?? '',
    eventTypes: ['attendee.checked_in', 'order.paid'],
    description: path,
    personalData: false,
    idempotencyKey: path,
  })
  return { id, secret, path }
}

/** Sends a test event, starting from the subscription's page. */
async function sendTest(page: Page, { id }: Made, hands: Hands): Promise<void> {
  await signIn(page, world.origin, world.everything('harbour'))
  await page.goto(`${world.origin}/dashboard/subscriptions/${id}`)
  const main = page.getByRole('main')
  await hands.press(main.getByRole('link', { name: 'Send test event' }))
  await main.getByRole('heading', { name: 'Send a test event' }).waitFor()
  await hands.pick(main.getByLabel('Event type', { exact: true }), 'order.paid')
  await hands.press(main.getByRole('button', { name: 'Send test event' }))
}

function arrived({ path }: Made) {
  return world.receivers[0]?.at(path) ?? []
}

describe.each(HANDS)('with $name', (hands) => {
  const way = hands.name.replaceAll(' ', '-')

  it('a test event is sent, arrives signed and marked, and the page shows the response', async ({ page }) => {
    const made = await make(`/arrives/${way}`)
    world.receivers[0]?.answer(made.path, { body: '{"thanks":"for the test"}' })
    await sendTest(page, made, hands)
    await page.getByRole('status').filter({ hasText: 'The target returned 200 OK.' }).waitFor()
    const main = page.getByRole('main')
    await main.getByText('The target accepted the test event.').waitFor()
    await main.getByText('"for the test"').first().waitFor()
    await inspectPage(page, `test-arrived-${way}`, { widths: [360, 1440] })

    const [received, ...more] = arrived(made)
    expect(more, 'one press sends one').toEqual([])
    const { headers, body } = received ?? expect.fail('nothing arrived')
    expect(headers['callboard-test']).toBe('true')
    await verify({ headers, body, secret: made.secret })
    const event: unknown = JSON.parse(body.toString())
    expect(event).toMatchObject({ type: 'order.paid', test: true })
    expect(await main.getByText(String(headers['webhook-id'])).count(), 'what was sent is shown').toBeGreaterThan(0)

    await page.goto(`${world.origin}/dashboard/subscriptions/${made.id}/deliveries`)
    await main.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
    expect(await main.textContent(), 'it is not listed as a delivery').not.toContain(String(headers['webhook-id']))
  })

  it('the page shows why a test event failed, and another test event succeeds after a fix', async ({ page }) => {
    const made = await make(`/fails/${way}`)
    world.receivers[0]?.answer(made.path, { status: 500, body: '{"error":"database is locked"}' })
    await sendTest(page, made, hands)
    await page.getByRole('status').filter({ hasText: 'The target returned 500 Internal Server Error.' }).waitFor()
    const main = page.getByRole('main')
    await main.getByText('"database is locked"').first().waitFor()
    expect(await main.getByText('The target accepted the test event.').count()).toBe(0)
    await inspectPage(page, `test-failed-${way}`, { widths: [360] })

    world.receivers[0]?.answer(made.path, {})
    await sendTest(page, made, hands)
    await main.getByText('The target accepted the test event.').waitFor()
    expect(arrived(made).length).toBe(2)
    const { state } =
      (await world.callboard.subscriptions.find({ accountId: 'harbour', mode: 'live', id: made.id })) ?? {}
    expect(state, 'the failure does not count against the target').toBe('active')
  })
})

describe('without scripts', () => {
  it('a test event is sent, and the response is shown', async ({ open }) => {
    const made = await make('/plain')
    const page = await open({ javaScriptEnabled: false })
    const [clicking] = HANDS
    await sendTest(page, made, clicking ?? expect.fail('no hands'))
    await page.getByText('The target returned 200 OK.').waitFor()
    expect(arrived(made).length).toBe(1)
  })
})
