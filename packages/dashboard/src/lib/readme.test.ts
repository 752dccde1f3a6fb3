import { readFileSync } from 'node:fs'
import { createCallboard, defineCatalog } from '@callboard/core'
import { createMemoryStore } from '@callboard/store-memory'
import { describe, expect, it } from 'vitest'
import { createDashboard } from './create-dashboard.ts'
import { routes } from './routes.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const README = read('../../README.md')
const callboard = createCallboard({
  catalog: defineCatalog({ version: '2026-10-01', types: [] }),
  store: createMemoryStore(),
  secretKeys: { current: 'k', keys: { k: new Uint8Array(32) } },
})
const sessionOf = async (request: Request): Promise<{ account: string } | undefined> =>
  request.headers.has('cookie') ? { account: 'acc_1' } : undefined

describe('the README of @callboard/dashboard', () => {
  it('shows a dashboard that works', async () => {
    const dashboard = createDashboard(callboard, {
      async authorize(request) {
        const session = await sessionOf(request) // your own
        if (session === undefined) return new Response(null, { status: 303, headers: { location: '/sign-in' } })
        return { accountId: session.account, can: ['webhooks.read', 'webhooks.write', 'events.read'] }
      },
    })
    const [, shown = ''] = /```ts\n(.*?\n}\)\n)/s.exec(README) ?? []
    expect(shown).not.toBe('')
    for (const line of shown.trimEnd().split('\n')) expect(read('./readme.test.ts')).toContain(`    ${line}\n`)

    await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
    const url = 'https://app.example.com/dashboard/subscriptions'
    expect((await dashboard.fetch(new Request(url))).headers.get('location')).toBe('/sign-in')
    expect((await dashboard.fetch(new Request(url, { headers: { cookie: 'a' } }))).status).toBe(200)
  })

  it('lists every theme variable', async () => {
    const { fetch } = createDashboard(callboard, { authorize: () => new Response() })
    const page = await createDashboard(callboard, { authorize: () => ({ accountId: 'acc_1', can: [] }) }).fetch(
      new Request('https://app.example.com/dashboard/none'),
    )
    const [, path = ''] = /rel="stylesheet" href="([^"]+)"/.exec(await page.text()) ?? []
    const style = await (await fetch(new Request(`https://app.example.com${path}`))).text()
    const [root = ''] = /:root\s*\{[^}]*\}/.exec(style) ?? []
    const names = [...root.matchAll(/(--cb-[a-z-]+):/g)].map(([, name]) => name ?? '')
    expect(names.length).toBeGreaterThan(5)
    for (const name of names) expect(README, name).toContain(`\`${name}\``)
  })
})

it.each(['../../README.md', '../../../../docs/dashboard.md'])(
  'all permissions, and no others, are listed in %s',
  (page) => {
    const cells = [...read(page).matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell)
    const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z]+\.(?:read|write))`/g)].map(([, name]) => name))
    // No route lists `people.read` in `needs`, because pages check it themselves. The test therefore adds it.
    expect(listed.sort()).toEqual([...new Set([...routes.map(({ needs }) => needs), 'people.read'])].sort())
  },
)
