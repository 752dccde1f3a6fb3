import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { migrate } from '@callboard/store-postgres'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Session, sessionCookie } from './session.ts'

let postgres: TestPostgres
let platform: typeof import('../start/callboard.ts')

beforeAll(async () => {
  postgres = await startPostgres()
  const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
  Object.assign(process.env, { DATABASE_URL: await postgres.createDatabase(), SECRET_KEY })
  platform = await import('../start/callboard.ts')
  const client = await platform.pool.connect()
  await migrate(client)
  client.release()
  await platform.callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
})
afterAll(async () => {
  await platform.pool.end()
  await postgres.stop()
})

const OWNER: Session = { account: 'acc_1', user: 'usr_1', role: 'owner' }
const ask = (path: string, session?: Session, init: RequestInit = {}): Request =>
  new Request(`https://app.example.com${path}`, {
    ...init,
    headers: { ...(session && { cookie: sessionCookie(session) }), ...init.headers },
  })

/** The request that the form for a new key sends. */
const issue = (session: Session): Request =>
  ask('/dashboard/keys/new', session, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ name: 'Zapier', scopes: 'webhooks.write' }),
  })

async function inExpress(request: Request): Promise<Response> {
  const { app } = await import('./express.ts')
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const { pathname } = new URL(request.url)
    const { method, headers } = request
    const body = method === 'POST' ? await request.text() : null
    const response = await fetch(`http://127.0.0.1:${port}${pathname}`, { method, headers, body, redirect: 'manual' })
    return new Response(await response.text(), { status: response.status, headers: response.headers })
  } finally {
    server.close()
  }
}

async function inNext(request: Request): Promise<Response> {
  const route = await import('./next-route.ts')
  return request.method === 'POST' ? route.POST(request) : route.GET(request)
}

async function inHono(request: Request): Promise<Response> {
  const { app } = await import('./hono.ts')
  return app.fetch(request)
}

describe.each([
  ['Hono', inHono],
  ['Express', inExpress],
  ['Next', inNext],
])('the dashboard in %s', (_name, answer) => {
  it('redirects strangers to the sign-in page, and shows viewers their own account', async () => {
    const refused = await answer(ask('/dashboard/subscriptions'))
    expect([refused.status, refused.headers.get('location')]).toEqual([303, '/sign-in'])
    const forged = await answer(ask('/dashboard/subscriptions', undefined, { headers: { cookie: 'session=e30.e30' } }))
    expect(forged.status).toBe(303)
    const shown = await answer(ask('/dashboard/subscriptions', OWNER))
    expect(shown.status).toBe(200)
    expect(await shown.text()).toContain('No subscriptions yet')
    expect(shown.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('issues an API key only to viewers whose session permits it', async () => {
    expect((await answer(issue({ account: 'acc_1', user: 'usr_1', role: 'staff' }))).status).toBe(403)
    const issued = await answer(issue(OWNER))
    expect([issued.status, await issued.text()]).toEqual([200, expect.stringMatching(/cb_live_\w{71}/)])
  })
})

it('the dashboard uses the platform’s theme and shows its descriptions of event types', async () => {
  const form = await (await inHono(ask('/dashboard/subscriptions/new', OWNER))).text()
  expect(form).toContain('Somebody has paid for an order.')
  const [, theme = ''] = /href="([^"]*theme[^"]*)"/.exec(form) ?? []
  expect(await (await inHono(ask(theme, OWNER))).text()).toContain('--cb-accent:#0f766e')
})

it('the dashboard appears in a frame of the platform’s own pages if `frameAncestors` allows it', async () => {
  const { embedded } = await import('./embedded.ts')
  const shown = await embedded.fetch(ask('/settings/webhooks/frame/subscriptions', OWNER))
  expect(shown.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
})

it('each person sees the dashboard in their own language', async () => {
  const { dashboard } = await import('./languages.ts')
  const german = await dashboard.fetch(ask('/dashboard/subscriptions', { ...OWNER, language: 'de' }))
  expect(await german.text()).toContain('<html lang="de"')
  const english = await dashboard.fetch(ask('/dashboard/subscriptions', OWNER))
  expect(await english.text()).toContain('<html lang="en"')
})
