import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

const PATH = '/v1/webhooks/subscriptions'

const withSubscriptions = async () => {
  const platform = await createPlatform()
  const { token } = await platform.issue()
  const create = async (changes: object): Promise<string> => {
    platform.clock.now += 1
    const json = { ...SUBSCRIPTION, ...changes }
    return (await (await platform.ask(PATH, { token, method: 'POST', json })).json()).id
  }
  const list = (query = '', key: string = token) => platform.ask(`${PATH}${query}`, { token: key })
  const ids = async (query = '', key?: string): Promise<string[]> =>
    (await (await list(query, key)).json()).data.map(({ id }: { id: string }) => id)
  return { ...platform, create, ids, list, token }
}

describe('GET /v1/webhooks/subscriptions', () => {
  it('lists the subscriptions that were created through the API, newest first, as GET of one does', async () => {
    const { ask, callboard, create, issue, list, token } = await withSubscriptions()
    const first = await create({})
    const second = await create({ externalRef: 'zap 2' })
    await callboard.subscriptions.create({ accountId: 'acc_1', ...SUBSCRIPTION, integration: 'other' })
    const other = await issue(['webhooks.read', 'webhooks.write'], 'test')
    await ask(PATH, { token: other.token, method: 'POST', json: SUBSCRIPTION })
    const response = await list()
    expect(response.status).toBe(200)
    const one = async (id: string) => (await ask(`${PATH}/${id}`, { token })).json()
    expect(await response.json()).toEqual({
      data: [await one(second), await one(first)],
      nextCursor: null,
      hasMore: false,
    })
  })

  it('selects by target, integration, externalRef and state', async () => {
    const { callboard, create, ids } = await withSubscriptions()
    const target = 'https://hooks.example.com/other?key=a%20b'
    const plain = await create({})
    const other = await create({ targetUrl: target, integration: 'n8n' })
    const named = await create({ externalRef: 'zap 1' })
    await callboard.subscriptions.disable({ accountId: 'acc_1', id: named, by: 'platform' })
    expect(await ids(`?targetUrl=${encodeURIComponent(target)}`)).toEqual([other])
    expect(await ids(`?targetUrl=${encodeURIComponent('https://hooks.example.com/')}`)).toEqual([])
    expect(await ids('?integration=n8n')).toEqual([other])
    expect(await ids('?externalRef=zap+1')).toEqual([named])
    expect(await ids('?state=disabled')).toEqual([named])
    expect(await ids('?state=active')).toEqual([other, plain])
    expect(await ids('?state=active&integration=zapier')).toEqual([plain])
  })

  it('pages with a cursor that is valid only for the same account, mode and conditions', async () => {
    const { callboard, create, ids, issue, list } = await withSubscriptions()
    const created: string[] = []
    for (const externalRef of ['1', '2', '3', '4', '5']) created.unshift(await create({ externalRef }))
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query: string = `?integration=zapier&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`
      const page: { data: { id: string }[]; nextCursor: string | null; hasMore: boolean } = await (
        await list(query)
      ).json()
      expect(page.hasMore).toBe(page.nextCursor !== null)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== null && seen.length < 9)
    expect(seen).toEqual(created)
    expect(await ids('?limit=5')).toEqual(created)

    const { nextCursor } = await (await list('?limit=1')).json()
    await callboard.accounts.create({ id: 'acc_2', name: 'Pier Stage' })
    for (const [query, key] of [
      [`?cursor=${nextCursor}&state=active`, undefined],
      [`?cursor=${nextCursor}`, (await issue(undefined, 'test')).token],
      [`?cursor=${nextCursor}`, (await issue(undefined, 'live', 'acc_2')).token],
    ] as const)
      expect((await problemIn(await list(query, key))).issues?.map(({ path }) => path)).toEqual(['cursor'])
  })

  it('shows only origins to a key without webhooks.write, which may still ask for a target that it knows', async () => {
    const { create, issue, list } = await withSubscriptions()
    const targetUrl = 'https://hooks.example.com:8443/catch?key=s3cret'
    await create({ targetUrl })
    const { token } = await issue(['webhooks.read'])
    const text = await (await list(`?targetUrl=${encodeURIComponent(targetUrl)}`, token)).text()
    expect(JSON.parse(text).data).toMatchObject([{ targetUrl: 'https://hooks.example.com:8443' }])
    expect(text).not.toContain('s3cret')
    expect((await list('', (await issue(['webhooks.write'])).token)).status).toBe(403)
  })

  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=1.5'],
    ['state', '?state=failing'],
    ['state', '?state=active&state=active'],
    ['externalRef', '?externalRef='],
    ['externalRef', '?externalRef=%00'],
    ['externalRef', `?externalRef=${'x'.repeat(256)}`],
    ['targetUrl', `?targetUrl=${'x'.repeat(2049)}`],
    ['integration', '?integration=a%0Ab'],
    ['cursor', '?cursor=x'],
  ])('answers 400 and names %s for %s', async (name, query) => {
    const { list } = await withSubscriptions()
    const response = await list(query)
    expect(response.status).toBe(400)
    expect((await problemIn(response)).issues?.map(({ path }) => path)).toEqual([name])
  })
})
