import { afterAll, beforeAll, describe, expect } from 'vitest'
import { browserIt as it } from '../browser-it.ts'
import { type Served, serve } from '../serve.ts'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { createPageName } from './page-name.ts'
import { snapshot } from './snapshot.ts'
import { cookieOf, signIn } from './viewers.ts'
import { type FoundPage, postForms, walk } from './walk.ts'

let world: DashboardWorld
let accounts: Accounts
let pages: Map<string, FoundPage>
/**
 * A site on another port. Cookies ignore ports, so the browser sends the viewer's cookie with requests from this site.
 */
let stranger: Served
const viewer = () => world.everything('harbour')

beforeAll(async () => {
  world = await startDashboardWorld()
  accounts = await seedAccounts(world)
  await world.rest()
  pages = await walk({
    origin: world.origin,
    from: [accounts.broken, accounts.healthy].map(({ id }) => `/dashboard/subscriptions/${id}/deliveries`),
    cookie: cookieOf(viewer()),
    nameOf: createPageName(accounts),
  })
  stranger = await serve(() => {
    const headers = { 'content-type': 'text/html' }
    return new Response('<!doctype html><title>Win</title><link rel="icon" href="data:,">', { headers })
  })
})
afterAll(async () => {
  await stranger?.stop()
  await world?.stop()
})

describe('a write that the dashboard did not offer', () => {
  it('changes nothing when a page of another site sends it with the viewer’s cookie', async ({ page, complaints }) => {
    const forms = postForms(pages)
    expect(forms).not.toEqual([])
    const before = await snapshot(world, 'harbour')
    await signIn(page, world.origin, viewer())
    for (const { action, body } of forms) {
      await page.goto(stranger.origin)
      const arrived = page.waitForURL(world.origin + action)
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      await page.evaluate(
        ([url, fields]) => {
          const form = document.createElement('form')
          Object.assign(form, { method: 'post', action: url })
          for (const [name, value] of fields)
            form.append(Object.assign(document.createElement('input'), { name, value }))
          document.body.append(form)
          form.submit()
        },
        [world.origin + action, [...body]] as const,
      )
      const response = await answered
      expect(await response.request().headerValue('cookie'), 'the cookie was sent').toContain('viewer=')
      expect([action, response.status()]).toEqual([action, 403])
      await arrived
    }
    expect(await snapshot(world, 'harbour')).toEqual(before)
    expect(complaints.splice(0).filter((text) => !text.includes('status of 403'))).toEqual([])
  })

  it('changes nothing when no header names its origin, or when it is sent as a GET', async () => {
    const before = await snapshot(world, 'harbour')
    const headers = { cookie: cookieOf(viewer()) }
    for (const { action, body } of postForms(pages)) {
      const silent = await fetch(world.origin + action, { method: 'POST', body, headers, redirect: 'manual' })
      expect([action, silent.status]).toEqual([action, 403])
      await fetch(`${world.origin}${action}${action.includes('?') ? '&' : '?'}${body}`, { headers, redirect: 'manual' })
    }
    expect(await snapshot(world, 'harbour')).toEqual(before)
  })

  it('cannot be triggered through a frame, because no other site can embed the dashboard', async ({
    page,
    complaints,
  }) => {
    await signIn(page, world.origin, viewer())
    await page.goto(stranger.origin)
    await page.evaluate(async (src) => {
      const frame = document.createElement('iframe')
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
      frame.src = src
      document.body.append(frame)
      await loaded
    }, `${world.origin}/dashboard/subscriptions`)
    expect(
      await page
        .frames()[1]
        ?.locator('body')
        .textContent()
        .catch(() => ''),
    ).not.toContain('Subscriptions')
    await expect.poll(() => complaints.join(), { timeout: 30_000 }).toContain("frame-ancestors 'none'")
    complaints.splice(0)
  })
})
