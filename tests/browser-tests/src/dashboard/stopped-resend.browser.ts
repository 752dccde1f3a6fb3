import type { SubscriptionRef } from '@callboard/core/store'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { HANDS } from './hands.ts'
import { signIn } from './viewers.ts'

/** One more event than one step of resending handles, so that there is a second step. */
const EVENTS = 501

let world: DashboardWorld
const missed = new Map<string, SubscriptionRef>()
beforeAll(async () => {
  world = await startDashboardWorld()
  for (const { name } of HANDS) missed.set(name, await miss(accountOf(name)))
  // No worker runs from here on, so that resent deliveries stay pending and can be counted.
})
afterAll(() => world?.stop())

function accountOf(hands: string): string {
  return `stops-${hands.replaceAll(' ', '-')}`
}

/**
 * Creates a subscription that was disabled while it had more pending deliveries than one step handles, and then enabled
 * again.
 */
async function miss(accountId: string): Promise<SubscriptionRef> {
  const { subscriptions } = world.callboard
  await world.callboard.accounts.create({ id: accountId, name: accountId })
  const { id } = await subscriptions.create({
    accountId,
    targetUrl: world.receivers[0]?.url('/missed') ?? '',
    eventTypes: ['attendee.checked_in'],
    personalData: false,
    idempotencyKey: accountId,
  })
  const ref = { accountId, mode: 'live', id } as const
  for (let attendee = 0; attendee < EVENTS; attendee++) await world.checkIn(accountId, `att_${attendee}`)
  await subscriptions.disable({ ...ref, by: 'account' })
  // The worker gives the deliveries the state `disabled`, because the subscription is disabled.
  await world.work()
  await vi.waitFor(async () => expect(await left(ref)).toBe(EVENTS), { timeout: 90_000, interval: 250 })
  await world.rest()
  await subscriptions.enable({ ...ref, by: 'account' })
  return ref
}

/** The number of deliveries that are still `disabled`. */
async function left(ref: SubscriptionRef): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const page = await world.callboard.deliveries.list({
      ...ref,
      subscriptionId: ref.id,
      state: 'disabled',
      limit: 100,
      cursor,
    })
    count += page.deliveries.length
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return count
}

describe.each(HANDS)('with $name', (hands) => {
  it('resending a range can be stopped, and later continued from the same point', async ({ page }) => {
    const ref = missed.get(hands.name) ?? expect.fail('nothing was missed')
    await signIn(page, world.origin, world.everything(ref.accountId))
    await page.goto(`${world.origin}/dashboard/subscriptions/${ref.id}/resend`)
    const main = page.getByRole('main')
    expect(await main.getByRole('checkbox', { name: 'Disabled' }).isChecked()).toBe(true)
    await hands.press(main.getByRole('button', { name: 'Continue' }))
    await main.getByText('About to resend 501 deliveries').waitFor()
    // The request for the second step gets no response, so the test can stop resending during that step.
    let steps = 0
    await page.route('**/resend', (route) => (++steps === 2 ? undefined : route.continue()))
    const send = main.getByRole('button', { name: 'Resend' })
    await hands.press(send)
    await main.getByText(/^500 resent, up to /).waitFor()
    await main.getByRole('progressbar', { name: 'Progress' }).waitFor()
    expect(await send.isDisabled()).toBe(true)

    await hands.press(main.getByRole('button', { name: 'Stop' }))
    const said = /^Stopped: 500 resent, up to \d.*\. Select Resend to continue from there\.$/
    await main.getByText(said).waitFor()
    await page.getByRole('status').filter({ hasText: said }).waitFor({ state: 'attached' })
    expect(await main.getByRole('progressbar').count()).toBe(0)
    expect(await left(ref), 'the first step is kept, and nothing more was done').toBe(1)

    await hands.press(send)
    await main.getByText('501 deliveries are being resent.').waitFor()
    expect(steps).toBe(3)
    expect(await left(ref)).toBe(0)
  })
})
