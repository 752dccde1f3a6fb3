import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createFront } from './front.ts'

const front = createFront({
  listAccounts: async () => [{ id: 'acct_demo', name: 'Tickets & <More>' }],
  demoKey: { id: 'key_1', key: 'cb_live_shown', isNew: false },
  adminToken: 'open-sesame',
  place: 'embedded Postgres',
  simulate: true,
})

const get = (path: string, host = 'localhost:8787'): Promise<Response | undefined> =>
  front(new Request(`http://${host}${path}`))
const textOf = async (path: string): Promise<string> => (await (await get(path))?.text()) ?? ''

describe('the pages that introduce the platform', () => {
  it('begin with the accounts, links to everything, and two commands that work as they are copied', async () => {
    const html = await textOf('/')
    expect(html).toContain('<code>acct_demo</code></td><td>Tickets &#38; &#60;More&#62;</td>')
    for (const path of ['/dashboard', '/reference', '/docs/README.md']) expect(html).toContain(`href="${path}"`)
    expect(html.match(/curl -s [^<]+/g)).toEqual([
      'curl -s &#39;http://localhost:8787/v1/events?limit=5&#39; -H &#39;Authorization: Bearer cb_live_shown&#39;',
      'curl -s -X POST http://localhost:8787/demo/orders -H &#39;Authorization: Bearer open-sesame&#39;',
    ])
  })

  it('render the API reference, with its files and the demo key', async () => {
    const html = await textOf('/reference')
    expect(html).toContain('"cb_live_shown"')
    for (const [, path = ''] of html.matchAll(/(?:src|href)="(\/reference\/[^"]+)"/g))
      expect((await get(path))?.status, path).toBe(200)
  })

  it('render every page of the docs at the path to which the other pages link', async () => {
    for (const name of readdirSync(new URL('../../../../docs/', import.meta.url)))
      if (name.endsWith('.md')) expect((await get(`/docs/${name}`))?.status, name).toBe(200)
    expect(await textOf('/docs/limits.md')).toMatch(/<h1 id="limits">Limits<\/h1>[\s\S]+<table>/)
  })

  it.each(['/docs/../.data/secret.md', '/docs/%2e%2e/package.md', '/.data/demo.md', '/docs/missing.md', '/v1/me'])(
    'leave %s to others',
    async (path) => {
      expect(await get(path)).toBeUndefined()
    },
  )

  it.each(['/', '/reference', '/docs/README.md'])('refuse %s under a name of somebody else', async (path) => {
    expect((await get(path, 'evil.example'))?.status).toBe(403)
  })
})
