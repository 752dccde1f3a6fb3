import { afterAll, beforeAll, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { signIn } from './viewers.ts'

const ACCOUNT = 'since'

let world: DashboardWorld
let form: string
beforeAll(async () => {
  world = await startDashboardWorld()
  await world.callboard.accounts.create({ id: ACCOUNT, name: ACCOUNT })
  const { id } = await world.callboard.subscriptions.create(
    { accountId: ACCOUNT },
    {
      targetUrl: world.receivers[0]?.url('/since') ?? '',
      eventTypes: ['attendee.checked_in'],
      personalData: false,
      idempotencyKey: ACCOUNT,
    },
  )
  form = `${world.origin}/dashboard/subscriptions/${id}/resend`
})
afterAll(() => world?.stop())

it('a time since which a range is sent again is one of the viewer’s zone', async ({ open }) => {
  const page = await open({ timezoneId: 'Asia/Tokyo' })
  await signIn(page, world.origin, world.everything(ACCOUNT))
  await page.goto(form)
  const main = page.getByRole('main')
  await main.getByRole('radio', { name: 'Since a time' }).check()
  await main.getByLabel('Time (Asia/Tokyo)').fill('2026-10-01T09:30')
  const posted = page.waitForRequest((request) => request.method() === 'POST')
  await main.getByRole('button', { name: 'Send again' }).click()
  const asked = new URLSearchParams((await posted).postData() ?? '')
  expect(asked.get('at')).toBe('2026-10-01T00:30:00.000Z')
  await main.getByText('There was nothing to send again.').waitFor()
})

it('a range that cannot be sent again says why, where it was asked for', async ({ page, complaints }) => {
  await signIn(page, world.origin, world.everything(ACCOUNT))
  await page.goto(form)
  const main = page.getByRole('main')
  await main.getByRole('radio', { name: 'Since a time' }).check()
  const said = page.waitForEvent('console')
  await main.getByRole('button', { name: 'Send again' }).click()
  await main.getByText('Give a time in the past.').waitFor()
  // The browser's own word on a 400.
  await said
  expect(complaints.splice(0)).toHaveLength(1)
  await main.getByRole('radio', { name: 'The last hour' }).check()
  // As of another version of the dashboard.
  await main.locator('input[name="next"]').evaluate((field: HTMLInputElement) => {
    field.value = 'elsewhere'
  })
  const saidAgain = page.waitForEvent('console')
  await main.getByRole('button', { name: 'Send again' }).click()
  await main.getByText('Where it stopped could not be read. Begin again').waitFor()
  await saidAgain
  expect(complaints.splice(0)).toHaveLength(1)
  await main.getByRole('button', { name: 'Send again' }).click()
  await main.getByText('There was nothing to send again.').waitFor()
})

it('a time is one of UTC, and says so, where there is no script', async ({ open }) => {
  const page = await open({ timezoneId: 'Asia/Tokyo', javaScriptEnabled: false })
  await signIn(page, world.origin, world.everything(ACCOUNT))
  await page.goto(form)
  await page.getByLabel('Time (UTC)').waitFor()
})
