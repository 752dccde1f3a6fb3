import { gzipSync } from 'node:zlib'
import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { createMemoryStore } from '@callboard/store-memory'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createDashboard, type DashboardOptions } from './create-dashboard.ts'
import type { DashboardPermission, DashboardViewer } from './viewer.ts'

const EVERYTHING: readonly DashboardPermission[] = ['webhooks.read', 'webhooks.write', 'events.read', 'people.read']
const errors: unknown[] = []

const catalog = defineCatalog({
  version: '2026-10-01',
  types: [
    defineEventType({
      name: 'order.paid',
      family: 'orders',
      descriptionKey: 'order_paid',
      schema: z.object({ total: z.number() }),
      sample: { total: 1 },
    }),
  ],
})

function open(options: Partial<DashboardOptions> = {}) {
  const callboard = createCallboard({
    catalog,
    store: createMemoryStore(),
    secretKeys: { current: 'k', keys: { k: new Uint8Array(32) } },
    onError: (error) => errors.push(error),
  })
  const viewer: DashboardViewer = { accountId: 'acc', can: EVERYTHING }
  const { fetch } = createDashboard(callboard, { authorize: () => viewer, ...options })
  return { callboard, get: (path: string) => fetch(new Request(`https://example.com${path}`)), fetch }
}

beforeEach(() => errors.splice(0))

describe('the dashboard', () => {
  it('redirects from its base path to the overview', async () => {
    const response = await open({ basePath: '/account/webhooks' }).get('/account/webhooks')
    expect([response.status, response.headers.get('location')]).toEqual([303, '/account/webhooks/overview'])
  })

  it.each([
    [['events.read', 'keys.read'], 'events'],
    [['keys.read'], 'keys'],
    [[], 'overview'],
  ] as const)('redirects a viewer with %j to the first page that they may see', async (can, section) => {
    const { get } = open({ authorize: () => ({ accountId: 'acc', can }) })
    expect((await get('/dashboard/')).headers.get('location')).toBe(`/dashboard/${section}`)
  })

  it('returns the platform’s own response instead of a page if `authorize` returns one', async () => {
    const { get } = open({ authorize: () => new Response('sign in', { status: 401 }) })
    const response = await get('/dashboard/subscriptions')
    expect([response.status, await response.text()]).toEqual([401, 'sign in'])
  })

  it('does not tell the viewer why `authorize` failed, but reports the error to the platform', async () => {
    const { get } = open({ authorize: () => Promise.reject(new Error('hunter2')) })
    const response = await get('/dashboard/subscriptions')
    expect([response.status, errors.length]).toEqual([500, 1])
    expect(await response.text()).not.toContain('hunter2')
  })

  it('responds with 500 and reports the error if a page cannot be rendered', async () => {
    const { get } = open({ authorize: () => JSON.parse('{"accountId":"acc"}') })
    expect((await get('/dashboard/subscriptions')).status).toBe(500)
    expect(errors.length).toBeGreaterThan(0)
  })

  it('shows a page only to viewers with the permission for it', async () => {
    const { get } = open({ authorize: () => ({ accountId: 'acc', can: ['webhooks.read'] }) })
    expect((await get('/dashboard/subscriptions')).status).toBe(200)
    const refused = await get('/dashboard/events')
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('Ask an administrator of your account for access')
  })

  it('allows only its own script and styles, and may be framed only by sites that the platform names', async () => {
    const policy = async (options: Partial<DashboardOptions>) =>
      (await open(options).get('/dashboard/subscriptions')).headers.get('content-security-policy')
    expect(await policy({})).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(await policy({})).toContain("frame-ancestors 'none'")
    expect(await policy({ frameAncestors: ['https://app.example.com'] })).toContain(
      'frame-ancestors https://app.example.com',
    )
  })

  it('serves the script and the styles that its pages link to', async () => {
    const { get } = open()
    const page = await (await get('/dashboard/subscriptions')).text()
    const files = [...page.matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    expect(files).toHaveLength(3)
    for (const file of files) expect((await get(file)).status, file).toBe(200)
  })

  it('sends a page, its script and its styles in less than 60 kB in total, compressed', async () => {
    const { get } = open()
    const page = await (await get('/dashboard/subscriptions')).text()
    const files = [...page.matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    const texts = await Promise.all(files.map(async (file) => (await get(file)).text()))
    const weight = [page, ...texts].reduce((sum, text) => sum + gzipSync(text).length, 0)
    expect(weight).toBeLessThan(60_000)
  })

  it('responds with 404 to an unknown path', async () => {
    expect((await open().get('/dashboard/nothing')).status).toBe(404)
  })
})
