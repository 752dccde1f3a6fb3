import { defineCatalog } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { catalog, createPlatform, problemIn } from '../../../test/platform.ts'
import { createRouter } from '../router.ts'

describe('GET /openapi.json', () => {
  it('serves the document without a key, and to pages of other origins', async () => {
    const { ask } = await createPlatform()
    const response = await ask('/openapi.json')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'cache-control': 'no-cache',
      'x-request-id': expect.stringMatching(/^req_/),
    })
    expect(await response.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/' }] })
  })

  it('returns the same document as router.openapi() to every concurrent request', async () => {
    const { callboard } = await createPlatform()
    const router = createRouter(callboard)
    const request = new Request('https://api.example.com/openapi.json')
    const texts = await Promise.all([1, 2, 3].map(async () => (await router.fetch(request)).text()))
    expect(new Set(texts)).toEqual(new Set([JSON.stringify(await router.openapi())]))
    expect(await router.openapi()).toBe(await router.openapi())
  })

  it('serves the form of OpenAPI 3.0 on request, in any format version', async () => {
    const { ask } = await createPlatform({
      catalog: defineCatalog({ ...catalog, previous: [{ version: '2026-04-01' }] }),
    })
    const [latest, former] = await Promise.all(
      ['', '&version=2026-04-01'].map((query) => ask(`/openapi.json?openapi=3.0${query}`)),
    )
    const tags = [latest, former, await ask('/openapi.json'), await ask('/openapi.json?openapi=3.1')]
    expect(new Set(tags.map((response) => response?.headers.get('etag'))).size).toBe(3)
    for (const [response, version] of [
      [latest, '2026-10-01'],
      [former, '2026-04-01'],
    ] as const) {
      const document = await response?.json()
      expect(document).toMatchObject({ openapi: '3.0.3', info: { license: { name: 'Proprietary' } } })
      expect(document).not.toHaveProperty('webhooks')
      expect(document.components.schemas.OrderPaidEvent.properties.type).toEqual({
        type: 'string',
        enum: ['order.paid'],
      })
      const { examples } = document.paths['/v1/events'].get.responses['200'].content['application/json']
      expect(examples.page.value.data[0].version).toBe(version)
    }
    const refused = await ask('/openapi.json?openapi=2.0')
    expect([refused.status, (await problemIn(refused)).message]).toEqual([400, 'openapi must be one of 3.1, 3.0.'])
  })

  it.each(['%s', 'W/%s', '"other", %s', '*'])('answers 304 to a matching If-None-Match: %j', async (pattern) => {
    const { ask } = await createPlatform()
    const etag = (await ask('/openapi.json')).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[A-Za-z0-9+/]{20}"$/)
    const response = await ask('/openapi.json', { headers: { 'if-none-match': pattern.replace('%s', etag) } })
    expect(response.status).toBe(304)
    expect(response.body).toBe(null)
    expect(response.headers.get('etag')).toBe(etag)
    expect(response.headers.has('content-type')).toBe(false)
  })

  it('has an ETag that changes with the catalogue and is the same in every process', async () => {
    const tagOf = async (other?: typeof catalog) => {
      const { ask } = await createPlatform({ catalog: other })
      return (await ask('/openapi.json')).headers.get('etag')
    }
    expect(await tagOf()).toBe(await tagOf())
    expect(await tagOf(defineCatalog({ ...catalog, previous: [{ version: '2026-04-01' }] }))).not.toBe(await tagOf())
  })

  it('answers HEAD like GET but without a body, OPTIONS with Allow, and other methods with 405', async () => {
    const { ask } = await createPlatform()
    const length = String((await (await ask('/openapi.json')).arrayBuffer()).byteLength)
    const head = await ask('/openapi.json', { method: 'HEAD' })
    expect([head.status, head.body, head.headers.get('content-length')]).toEqual([200, null, length])
    expect((await ask('/openapi.json', { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    const post = await ask('/openapi.json', { method: 'POST' })
    expect(post.status).toBe(405)
    expect((await problemIn(post)).errorCode).toBe('METHOD_NOT_ALLOWED')
  })
})

describe('the option openapi', () => {
  it('openapi.path moves the document to another path below the base path', async () => {
    const { ask } = await createPlatform({ basePath: '/api', openapi: { path: '/docs/api.json' } })
    expect((await ask('/api/openapi.json')).status).toBe(404)
    const response = await ask('/api/docs/api.json')
    expect(response.status).toBe(200)
    const { components, servers } = await response.json()
    expect(servers).toEqual([{ url: '/api' }])
    const examples = components.responses.Unauthenticated.content['application/json'].examples
    expect(examples.Unauthenticated.value.path).toBe('/api/v1/me')
  })

  it('openapi.path: false turns the endpoint off, but router.openapi() still returns the document', async () => {
    const { ask, callboard } = await createPlatform({ openapi: { path: false } })
    expect((await ask('/openapi.json')).status).toBe(404)
    const router = createRouter(callboard, { openapi: { path: false } })
    expect(Object.keys((await router.openapi()).paths)).toContain('/v1/me')
  })

  it('openapi.info and openapi.servers set the title, the contact and the servers', async () => {
    const info = { title: 'Harbour Hall', contact: { email: 'api@example.com' } }
    const servers = [{ url: 'https://api.example.com/hall' }]
    const { ask } = await createPlatform({ openapi: { info, servers } })
    expect(await (await ask('/openapi.json')).json()).toMatchObject({ info: { ...info, version: 'v1' }, servers })
  })

  it.each(['openapi.json', '', '/', '/docs/', '/a b', '/v1', '/v1/openapi.json'])(
    'refuses the path %j',
    async (path) => {
      const { callboard } = await createPlatform()
      expect(() => createRouter(callboard, { openapi: { path } })).toThrow(
        expect.objectContaining({ code: 'CONFIGURATION_INVALID' }),
      )
    },
  )

  it('does not make any path under /v1 available without a key', async () => {
    const { ask } = await createPlatform()
    expect((await ask('/v1/openapi.json')).status).toBe(404)
    expect((await ask('/v1/me')).status).toBe(401)
  })
})

it('GET /openapi.json answers 500 when the document cannot be created, and tries again on the next request', async () => {
  let fail = true
  const errors: unknown[] = []
  const { callboard } = await createPlatform({ onError: (error) => errors.push(error) })
  const broken: typeof callboard = {
    ...callboard,
    get integrations() {
      if (fail) throw new Error('no')
      return callboard.integrations
    },
  }
  const { fetch } = createRouter(broken)
  const ask = async () => (await fetch(new Request('https://api.example.com/openapi.json'))).status
  expect(await ask()).toBe(500)
  expect(errors).toHaveLength(1)
  fail = false
  expect(await ask()).toBe(200)
})
