import type { DashboardViewer } from '@callboard/dashboard'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Accounts, seedAccounts } from './accounts.ts'
import { type DashboardWorld, startDashboardWorld } from './dashboard-world.ts'
import { createPageName } from './page-name.ts'
import { snapshot } from './snapshot.ts'
import { cookieOf } from './viewers.ts'
import { type FoundPage, postForms, walk } from './walk.ts'

let world: DashboardWorld
let accounts: Accounts
let pages: Map<string, FoundPage>
beforeAll(async () => {
  world = await startDashboardWorld()
  accounts = await seedAccounts(world)
  await world.rest()
  pages = await walk({
    origin: world.origin,
    from: [accounts.broken, accounts.healthy].map(({ id }) => `/dashboard/subscriptions/${id}/deliveries`),
    cookie: cookieOf(world.everything('harbour')),
    nameOf: createPageName(accounts),
  })
})
afterAll(() => world?.stop())

/** Strings that occur only in the data of `harbour`, and that no id could contain by chance. */
const OWN = /ord_10\d\d|zap_1042|scenario 88|Ada Lovelace|Grace Hopper|webhook\/7f3a|Key of make/
const ID = /\/[a-z]{3}_[0-9a-z]{20,}/

describe('two accounts', () => {
  it('see nothing of each other on their pages', async () => {
    const foreign = await walk({
      origin: world.origin,
      cookie: cookieOf(world.everything('museum')),
      nameOf: createPageName(accounts),
    })
    for (const [name, { text }] of foreign) expect(text, name).not.toMatch(OWN)
    for (const [name, { text }] of pages) expect(text, name).not.toMatch(/museum|Mina M/i)
    expect([...pages.values()].some(({ text }) => OWN.test(text))).toBe(true)
  })

  it('get 404 for every URL with an id of the other account', async () => {
    const named = [...pages].filter(([, { path }]) => ID.test(path))
    expect(named).not.toEqual([])
    for (const [name, { path }] of named) {
      for (const viewer of [world.everything('museum'), { ...world.everything('harbour'), mode: 'test' as const }]) {
        const response = await fetch(world.origin + path, { headers: { cookie: cookieOf(viewer) } })
        expect([name, response.status]).toEqual([name, 404])
        expect(await response.text()).not.toMatch(OWN)
      }
    }
  })

  it('cannot change each other’s data by posting each other’s forms', async () => {
    const forms = postForms(pages).filter(({ action }) => ID.test(action))
    expect(forms).not.toEqual([])
    const before = await snapshot(world, 'harbour')
    for (const { action, body } of forms) {
      const response = await fetch(world.origin + action, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: { cookie: cookieOf(world.everything('museum')), 'sec-fetch-site': 'same-origin' },
      })
      expect([action, response.status]).toEqual([action, 404])
      expect(await response.text()).not.toMatch(OWN)
    }
    expect(await snapshot(world, 'harbour')).toEqual(before)
  })
})

describe('a viewer with limited permissions', () => {
  const readAs = (can: DashboardViewer['can']) =>
    walk({
      origin: world.origin,
      cookie: cookieOf({ accountId: 'harbour', can }),
      from: [...pages.values()].map(({ path }) => path),
      nameOf: createPageName(accounts),
    })

  it('sees no personal data and no target responses without `people.read`', async () => {
    expect([...pages.values()].some(({ text }) => text.includes('ada@example.com'))).toBe(true)
    for (const [name, { text }] of await readAs(['webhooks.read', 'webhooks.write', 'events.read', 'keys.read']))
      expect(text, name).not.toMatch(/Ada Lovelace|Grace Hopper|@example\.com|database is locked/)
  })

  it('is offered no writes, and cannot make any, if all permissions are for reading', async () => {
    const seen = await readAs(['webhooks.read', 'events.read', 'people.read', 'keys.read'])
    expect(postForms(seen)).toEqual([])
    const before = await snapshot(world, 'harbour')
    const cookie = cookieOf({ accountId: 'harbour', can: ['webhooks.read', 'events.read', 'people.read', 'keys.read'] })
    for (const { action, body } of postForms(pages)) {
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const { status } = await fetch(world.origin + action, { method: 'POST', body, redirect: 'manual', headers })
      expect([action, status]).toEqual([action, 403])
    }
    expect(await snapshot(world, 'harbour')).toEqual(before)
  })

  it('who has no permissions at all is told on every page whom to ask', async () => {
    for (const [name, { status, text }] of await readAs([])) {
      expect([name, status]).toEqual([name, 403])
      expect(text).toContain('Ask an administrator of your account')
    }
  })
})
