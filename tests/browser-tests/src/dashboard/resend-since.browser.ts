import { engineOf } from '@callboard/core/engine'
import { afterAll, beforeAll, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { signIn } from './viewers.ts'

const ACCOUNT = 'since'

let world: DashboardWorld
let id: string
let form: string
beforeAll(async () => {
  world = await startDashboardWorld()
  await world.callboard.accounts.create({ id: ACCOUNT, name: ACCOUNT })
  const subscription = await world.callboard.subscriptions.create({
    accountId: ACCOUNT,
    targetUrl: world.receivers[0]?.url('/since') ?? '',
    eventTypes: ['attendee.checked_in'],
    personalData: false,
    idempotencyKey: ACCOUNT,
  })
  id = subscription.id
  form = `${world.origin}/dashboard/subscriptions/${id}/resend`
})
afterAll(() => world?.stop())

it('a start time for resending is in the viewer’s time zone', async ({ open }) => {
  const page = await open({ timezoneId: 'Asia/Tokyo' })
  await signIn(page, world.origin, world.everything(ACCOUNT))
  await page.goto(form)
  const main = page.getByRole('main')
  await main.getByRole('radio', { name: 'Since a specific time' }).check()
  await main.getByLabel('Time (Asia/Tokyo)').fill('2026-10-01T09:30')
  await main.getByRole('button', { name: 'Continue' }).click()
  await main.getByText('There is nothing to resend').waitFor()
  const asked = new URL(page.url()).searchParams
  expect([asked.get('at'), asked.get('zone')]).toEqual(['2026-10-01T09:30', 'Asia/Tokyo'])
  await main.getByText('Oct 1, 2026, 9:30:00 AM').waitFor()
})

it('the reason why a range cannot be resent is shown next to its form', async ({ page, complaints }) => {
  await signIn(page, world.origin, world.everything(ACCOUNT))
  await page.goto(form)
  const main = page.getByRole('main')
  await main.getByRole('radio', { name: 'Since a specific time' }).check()
  const said = page.waitForEvent('console')
  await main.getByRole('button', { name: 'Continue' }).click()
  await main.getByText('Enter a time in the past.').first().waitFor()
  // Wait for the browser's own message about the 400, so that it can be removed.
  await said
  expect(complaints.splice(0)).toHaveLength(1)
  await main.getByRole('radio', { name: 'In the last hour' }).check()
  await world.checkIn(ACCOUNT, 'att_since')
  await engineOf(world.callboard).store.deliveries.sequence(1)
  await world.callboard.subscriptions.skipToNow({ accountId: ACCOUNT, id })
  await main.getByRole('checkbox', { name: 'Skipped' }).check()
  await main.getByRole('button', { name: 'Continue' }).click()
  // Posts a `next` that could come from another version of the dashboard.
  await main.locator('form[data-steps]').evaluate((steps: HTMLFormElement) => {
    steps.insertAdjacentHTML('beforeend', '<input type="hidden" name="next" value="elsewhere" />')
  })
  const saidAgain = page.waitForEvent('console')
  await main.getByRole('button', { name: 'Resend' }).click()
  await main.getByText('The saved progress could not be read. Start again').waitFor()
  await saidAgain
  expect(complaints.splice(0)).toHaveLength(1)
  await main.getByRole('button', { name: 'Resend' }).click()
  await main.getByText('1 delivery is being resent.').waitFor()
  await main.getByRole('heading', { name: 'Done' }).waitFor()
  expect(await main.getByRole('button', { name: 'Resend' }).isVisible()).toBe(false)
  await main.getByRole('link', { name: 'View deliveries' }).click()
  await page.waitForURL(/\/deliveries$/)
})

it('a start time for resending is labelled as UTC without scripts', async ({ open }) => {
  const page = await open({ timezoneId: 'Asia/Tokyo', javaScriptEnabled: false })
  await signIn(page, world.origin, world.everything(ACCOUNT))
  await page.goto(form)
  await page.getByLabel('Time (UTC)').waitFor({ state: 'attached' })
})
