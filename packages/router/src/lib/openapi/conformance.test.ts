import { beforeAll, describe, expect, it } from 'vitest'
import { type Conformance, createConformance } from '../../../test/conformance.ts'
import { createPlatform } from '../../../test/platform.ts'
import { createRouter } from '../router.ts'

/** checked-router.ts does the same check on every response in the router's tests and in the acceptance tests. */
describe('the check of a response against the document', () => {
  let conforms: Conformance
  let answer: (path: string, method?: string) => Promise<{ request: Request; response: Response }>

  beforeAll(async () => {
    const { callboard, fetch, issue, publishOrder } = await createPlatform()
    await publishOrder('ord_1')
    const { token } = await issue()
    conforms = createConformance(await createRouter(callboard).openapi(), '')
    answer = async (path, method = 'GET') => {
      const request = new Request(`https://api.example.com${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
      })
      return { request, response: await fetch(request) }
    }
  })

  const changed = async (response: Response, change: { status?: number; headers?: object; body?: object }) => {
    const { status, headers } = response
    const body = { ...JSON.parse((await response.text()) || 'null'), ...change.body }
    return new Response(JSON.stringify(body), {
      status: change.status ?? status,
      headers: { ...Object.fromEntries(headers), ...change.headers },
    })
  }

  it.each<[string, string, object, string]>([
    ['an undocumented status', '/v1/me', { status: 409 }, '409 is not documented'],
    ['an undocumented header', '/v1/me', { headers: { location: '/' } }, 'undocumented header location'],
    ['a malformed header', '/v1/me', { headers: { ratelimit: 'none' } }, 'ratelimit is not as documented'],
    ['an undocumented property', '/v1/me', { body: { email: 'x' } }, 'additional properties'],
    [
      'an undocumented property deeper down',
      '/v1/me',
      { body: { entity: { id: '1', name: 'x', plan: 1 } } },
      'additional',
    ],
    ['a missing property', '/v1/events', { body: { hasMore: undefined } }, 'required property'],
    ['a property of another type', '/v1/events', { body: { nextCursor: 1 } }, 'must be string,null'],
    ['another media type', '/v1/me', { headers: { 'content-type': 'text/plain' } }, 'content type'],
    ['an unknown code', '/v1/events?limit=0', { body: { errorCode: 'OOPS' } }, 'allowed values'],
    ['a status other than 404 for an unknown path', '/v2', { status: 400 }, '400 is not documented'],
  ])('fails if the response has %s', async (_what, path, change, message) => {
    const { request, response } = await answer(path)
    await expect(conforms(request, await changed(response, change))).rejects.toThrow(message)
  })

  it('fails if the response lacks a required header', async () => {
    const { request, response } = await answer('/v1/me')
    response.headers.delete('x-request-id')
    await expect(conforms(request, response)).rejects.toThrow('lacks the header x-request-id')
  })

  it('fails if the methods in Allow differ from those in the document', async () => {
    const { request, response } = await answer('/v1/me', 'PUT')
    response.headers.set('allow', 'GET')
    await expect(conforms(request, response)).rejects.toThrow('allow is not as documented')
  })

  it('fails if the data of an event does not match the schema of its event type', async () => {
    const { request, response } = await answer('/v1/events')
    const [event] = (await response.clone().json()).data
    await expect(conforms(request, response.clone())).resolves.toBeUndefined()
    const data = [{ ...event, data: { order: { ...event.data.order, plan: 1 } } }]
    await expect(conforms(request, await changed(response, { body: { data } }))).rejects.toThrow('an event')
  })
})
