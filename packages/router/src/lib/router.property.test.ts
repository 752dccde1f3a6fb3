import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION, WIDE_LIMITS } from '../../test/platform.ts'

/**
 * For any request, these properties hold:
 * - The status is never a 5xx, and `fetch` never rejects.
 * - The response has a request id and `no-store`.
 * - An error response has the contract's fields and a short message.
 * - Without a key, the status is 401, 404, 405 or 204.
 */
describe('any request', () => {
  let platform: Awaited<ReturnType<typeof createPlatform>>
  let token: string

  beforeAll(async () => {
    platform = await createPlatform({ limits: WIDE_LIMITS })
    token = (await platform.issue()).token
    await platform.publishOrder('ord_1')
  })

  const known = [
    '/v1/me',
    '/v1/event-types',
    '/v1/events',
    '/v1/webhooks/subscriptions',
    '/v1/webhooks/subscriptions/x',
  ]
  const path = fc.oneof(
    fc.constantFrom(...known),
    fc.webPath(),
    fc.tuple(fc.constantFrom(...known), fc.webPath()).map((parts) => parts.join('')),
  )
  const parameter = fc.tuple(fc.constantFrom('type', 'limit', 'cursor', 'x'), fc.string({ unit: 'binary' }))
  const rawQuery = fc.oneof(
    fc.webQueryParameters(),
    fc.array(parameter, { maxLength: 5 }).map((pairs) => new URLSearchParams(pairs).toString()),
  )
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'ALL', 'PROPFIND')
  const headerValue = fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
  })
  const json = fc.oneof(
    fc.json(),
    fc.uint8Array().map((bytes) => Uint8Array.from(bytes)),
    fc
      .record(
        {
          targetUrl: fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' })),
          eventTypes: fc.array(fc.constantFrom('order.paid', 'x')),
          integration: fc.constant('other'),
          externalRef: fc.string({ unit: 'binary' }),
        },
        { requiredKeys: [] },
      )
      .map((body) => JSON.stringify({ ...SUBSCRIPTION, ...body })),
  )

  const check = async (request: Request): Promise<Response> => {
    const response = await platform.fetch(request)
    expect(response.status).toBeLessThan(500)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    if (response.status >= 400 && request.method !== 'HEAD') await problemIn(response.clone())
    return response
  }

  it('a request with a valid key never causes a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(
        path,
        rawQuery,
        method,
        json,
        fc.constantFrom('application/json', 'text/plain'),
        async (at, query, verb, body, type) => {
          const init: RequestInit = {
            method: verb,
            headers: { authorization: `Bearer ${token}`, 'content-type': type },
          }
          if (verb !== 'GET' && verb !== 'HEAD') init.body = body
          await check(new Request(`https://api.example.com${at}?${query}`, init))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('a request without a valid key reveals only whether the route exists', async () => {
    await fc.assert(
      fc.asyncProperty(
        path,
        rawQuery,
        method,
        fc.option(headerValue, { nil: undefined }),
        async (at, query, verb, authorization) => {
          const headers = authorization === undefined ? {} : { authorization }
          const { status } = await check(
            new Request(`https://api.example.com${at}?${query}`, { method: verb, headers }),
          )
          expect([204, 401, 404, 405]).toContain(status)
        },
      ),
      { numRuns: 500 },
    )
  })
})
