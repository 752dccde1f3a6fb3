import fc from 'fast-check'
import { deliveryPath, path, query } from './addresses.ts'
import { authorization } from './authorizations.ts'
import { body } from './bodies.ts'
import { type FuzzRequest, type Known, SUBSCRIPTIONS } from './fuzz-request.ts'
import type { KeyName } from './fuzzed-platform.ts'

const header = fc.oneof(
  fc.constantFrom<(readonly [string, string])[]>(
    ['accept', 'text/html'],
    ['accept', ''],
    ['accept-encoding', 'gzip, br'],
    ['x-request-id', 'req_forged'],
    ['x-http-method-override', 'DELETE'],
    ['x-forwarded-proto', 'javascript'],
    ['x-forwarded-host', 'evil.example'],
    ['cookie', 'a=b'],
    ['origin', 'https://evil.example'],
    ['if-none-match', '*'],
    ['range', 'bytes=0-1'],
    ['x-long', 'x'.repeat(4000)],
    ['content-language', 'de'],
    ['callboard-version', '2026-10-01'],
    ['callboard-version', '2026-04-01'],
    ['callboard-version', '2026-04-01T00:00:00Z'],
    ['callboard-version', '__proto__'],
    ['callboard-version', ''],
  ),
  fc.tuple(
    fc.constantFrom('x-a', 'x-b', 'X-A'),
    fc.string({
      unit: fc
        .integer({ min: 0x21, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
    }),
  ),
)

function methodOf(at: string): string {
  if (at === SUBSCRIPTIONS || /\/(rotate-secret|test|resend|backfill)$/.test(at)) return 'POST'
  return at.startsWith(SUBSCRIPTIONS) && !at.includes('/deliveries') ? 'PATCH' : 'GET'
}

/**
 * Arbitrary requests. Half of them carry a valid key, because the body and query of a request without one are never
 * read.
 */
export function requests(known: Known): fc.Arbitrary<FuzzRequest> {
  const anyOne = fc
    .record({
      verb: fc.constantFrom(
        'right',
        'right',
        'right',
        'right',
        'GET',
        'POST',
        'PATCH',
        'DELETE',
        'DELETE',
        'HEAD',
        'PUT',
        'OPTIONS',
        'QUERY',
        'get',
        'x',
      ),
      path: path(known),
      query: query(known),
      authorization,
      headers: fc.array(header, { maxLength: 4 }),
      body: fc.option(body, { nil: undefined }),
    })
    .map(
      ({ verb, ...request }): FuzzRequest => ({ ...request, method: verb === 'right' ? methodOf(request.path) : verb }),
    )
  const subscribing = fc.record({
    method: fc.constant('POST'),
    path: fc.constant(SUBSCRIPTIONS),
    query: fc.constant(''),
    authorization: fc.record({
      key: fc.constantFrom<KeyName[]>('all', 'writer', 'test', 'rival'),
      scheme: fc.constant('Bearer'),
    }),
    headers: fc.array(header, { maxLength: 1 }),
    body,
  })
  const reading = fc.record({
    method: fc.constant('GET'),
    path: fc.constantFrom('/v1/events', '/v1/events/feed', SUBSCRIPTIONS),
    query: query(known),
    authorization: fc.record({
      key: fc.constantFrom<KeyName[]>('all', 'reader', 'test', 'rival'),
      scheme: fc.constant('Bearer'),
    }),
    headers: fc.array(header, { maxLength: 1 }),
    body: fc.constant(undefined),
  })
  const aboutDeliveries = fc
    .record({
      path: deliveryPath(known),
      query: query(known),
      authorization: fc.record({
        key: fc.constantFrom<KeyName[]>('all', 'all', 'reader', 'writer', 'test', 'rival'),
        scheme: fc.constant('Bearer'),
      }),
      headers: fc.array(header, { maxLength: 1 }),
      body: fc.option(body, { nil: undefined }),
    })
    .map((request): FuzzRequest => ({ ...request, method: methodOf(request.path) }))
  return fc.oneof(
    { weight: 4, arbitrary: anyOne },
    { weight: 2, arbitrary: aboutDeliveries },
    { weight: 2, arbitrary: subscribing },
    { weight: 2, arbitrary: reading },
  )
}
