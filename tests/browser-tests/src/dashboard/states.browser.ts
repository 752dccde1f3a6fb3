import { engineOf } from '@callboard/core/engine'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { inspectPage } from './inspect-page.ts'
import { EVERYTHING, signIn } from './viewers.ts'

// Pages that no link leads to: refusals, empty lists, and answers to forms. `pages.browser.ts` inspects all others.

let world: DashboardWorld
let guarded: string
beforeAll(async () => {
  world = await startDashboardWorld({ maxKeys: 1 })
  const { accounts, keys, subscriptions } = world.callboard
  for (const id of ['empty', 'full']) await accounts.create({ id, name: id })
  await keys.issue({ accountId: 'full', name: 'The only key', scopes: ['webhooks.read'] })
  const targetUrl = world.receivers[0]?.url('/guarded') ?? ''
  const input = { targetUrl, eventTypes: ['order.paid'], personalData: true, idempotencyKey: 'guarded' }
  guarded = (await subscriptions.create({ accountId: 'full', ...input })).id
  await world.sell('full', 'ord_1')
  await engineOf(world.callboard).store.deliveries.sequence(1)
  await subscriptions.skipToNow({ accountId: 'full', id: guarded })
})
afterAll(() => world?.stop())

const WITHOUT_PEOPLE = EVERYTHING.filter((permission) => permission !== 'people.read')

interface Visit {
  readonly accountId?: 'empty' | 'full' | undefined
  readonly mode?: 'live' | 'test' | undefined
  readonly can?: typeof EVERYTHING | undefined
}

async function open(page: Page, path: string, { accountId = 'full', mode, can = EVERYTHING }: Visit = {}) {
  await signIn(page, world.origin, { accountId, mode, can })
  return page.goto(`${world.origin}/dashboard${path}`)
}

/** Inspects the page on a phone and a desktop, light and dark. */
const inspect = (page: Page, name: string): Promise<void> => inspectPage(page, `state-${name}`, { widths: [390, 1280] })

/** Removes the browser's own message about the status of a page. */
async function forget(complaints: string[], status: number): Promise<void> {
  await expect.poll(() => complaints, { timeout: 30_000 }).toEqual([expect.stringContaining(`status of ${status}`)])
  complaints.splice(0)
}

describe('a page (inspected for axe violations and overflow)', () => {
  it.for(['/subscriptions', '/events', '/keys', '/audit'])('shows an empty list: %s', async (path, { page }) => {
    await open(page, path, { accountId: 'empty' })
    await inspect(page, `empty${path.replace('/', '-')}`)
  })

  it('shows that it is in test mode', async ({ page }) => {
    await open(page, '/subscriptions', { mode: 'test' })
    await page.getByText('Test mode').waitFor()
    await inspect(page, 'test-mode')
  })

  it.for([
    ['does not exist', '/nothing', 404, undefined],
    ['is not allowed', '/keys', 403, ['webhooks.read']],
    ['cannot be read', '/events?cursor=x', 400, undefined],
  ] as const)('%s', async ([name, path, status, can], { page, complaints }) => {
    expect((await open(page, path, { can }))?.status()).toBe(status)
    await forget(complaints, status)
    await inspect(page, name.replaceAll(' ', '-'))
  })

  it('says that a subscription with personal data cannot be edited, and that its secret cannot be rotated', async ({
    page,
    complaints,
  }) => {
    expect((await open(page, `/subscriptions/${guarded}/edit`, { can: WITHOUT_PEOPLE }))?.status()).toBe(403)
    await forget(complaints, 403)
    await inspect(page, 'guarded-edit')
    await open(page, `/subscriptions/${guarded}`, { can: WITHOUT_PEOPLE })
    await page.getByText('Ask someone who may see personal data to rotate it.').waitFor()
    expect(await page.getByText('Rotate secret').count()).toBe(0)
    await inspect(page, 'guarded-subscription')
  })

  it('says that the account has reached its limit of keys, and focuses that message', async ({ page, complaints }) => {
    await open(page, '/keys/new')
    await page.getByLabel('Name').fill('One more')
    await page.getByRole('button', { name: 'Create key' }).click()
    const said = page.getByRole('alert').filter({ hasText: 'Your account has reached its limit of API keys' })
    await said.waitFor()
    expect(await said.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await page.getByLabel('Name').inputValue()).toBe('One more')
    await forget(complaints, 409)
    await inspect(page, 'key-limit')
  })

  it('reports an invalid form for a key, then the created key, and after a reload that the key already exists', async ({
    page,
    complaints,
  }) => {
    await open(page, '/keys/new', { accountId: 'empty' })
    await page.getByLabel('Name').fill('First')
    for (const scope of ['Read events and event types', 'Create and remove subscriptions'])
      await page.getByLabel(scope).uncheck()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('link', { name: 'Choose at least one scope.' }).waitFor()
    await forget(complaints, 400)
    await inspect(page, 'key-wrong')
    await page.getByLabel('Read events and event types').check()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    await inspect(page, 'key-created')
    await page.reload()
    await page.getByRole('heading', { name: 'This key has already been created' }).waitFor()
    await forget(complaints, 409)
    await inspect(page, 'key-created-before')
  })

  it('says how many deliveries are about to be resent', async ({ page }) => {
    await open(page, `/subscriptions/${guarded}/resend?since=day&state=skipped&count=on`)
    await page.getByText('About to resend 1 delivery').waitFor()
    await inspect(page, 'resend-counted')
  })

  it('shows, without scripts, the new secret after a rotation and what is resent', async ({ open: openPage }) => {
    const page = await openPage({ javaScriptEnabled: false })
    await open(page, `/subscriptions/${guarded}`)
    await page.locator('summary').filter({ hasText: 'Rotate secret' }).click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('heading', { name: 'Secret rotated' }).waitFor()
    await open(page, `/subscriptions/${guarded}/resend`)
    await page.getByRole('checkbox', { name: 'Skipped' }).check()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('About to resend 1 delivery').waitFor()
    await page.getByRole('button', { name: 'Resend' }).click()
    await page.getByText('1 delivery is being resent.').waitFor()
  })
})
