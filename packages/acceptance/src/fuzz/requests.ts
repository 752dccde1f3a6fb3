import fc from 'fast-check'
import { KEY_NAMES, type KeyName } from './fuzzed-platform.ts'

/** A request as plain data, so that one which was answered badly can be read. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  /** Without its `?`; '' for none. */
  readonly query: string
  readonly authorization: Authorization
  readonly headers: readonly (readonly [string, string])[]
  /** Undefined: none. */
  readonly body: FuzzBody | undefined
}

export type Authorization =
  | { readonly key: KeyName; readonly scheme: string }
  /** Values of the header, none of which is a valid key's. */
  | { readonly values: readonly string[] }
  | { readonly key: KeyName; readonly twice: true }

export interface FuzzBody {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  /** Sent in pieces, without a length. */
  readonly chunked: boolean
  /** It is JSON that the contract accepts, sent as such. */
  readonly valid: boolean
}

/** What the platform has that a request may name. */
export interface Known {
  readonly cursors: readonly string[]
  readonly subscriptions: readonly string[]
}

export const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'

const nasty = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\0',
      'a\0b',
      '\ud800',
      'a\udfffb',
      '\u2028',
      '\ufeff',
      '\u202e',
      '__proto__',
      'constructor',
      'toString',
      "'; drop table x; --",
      '../../etc/passwd',
      'null',
      'NaN',
      '-1',
      '1e9',
      '9'.repeat(400),
      '😀'.repeat(300),
      'e\u0301'.repeat(128),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(1_000_000), '\u00e9'.repeat(30_000), '"'.repeat(30_000)) },
)

const path = ({ subscriptions }: Known): fc.Arbitrary<string> => {
  const known = fc.constantFrom('/v1/me', '/v1/event-types', '/v1/events', SUBSCRIPTIONS)
  const id = fc.oneof(
    fc.constantFrom(...subscriptions),
    fc.constantFrom(...subscriptions).map((each) => each.toUpperCase()),
    fc.constantFrom(...subscriptions).map((each) => `${each.slice(0, -1)}%30`),
    fc.constantFrom('%00', '%ff', '%2e%2e', '..', '.', '%2F', 'sub_', `sub_${'7'.repeat(26)}`, `sub_${'z'.repeat(26)}`),
    nasty.filter((text) => text.length < 9000).map(encoded),
  )
  return fc.oneof(
    { weight: 10, arbitrary: known },
    { weight: 4, arbitrary: id.map((each) => `${SUBSCRIPTIONS}/${each}`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(known, fc.constantFrom('/', '//', '%00', '.', ';x=1', '%20', '/..', '/../me', '%3F', '\\'))
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: fc.webPath().map((each) => `/${each}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '/v1',
        '/v1/',
        '/V1/me',
        '//v1/me',
        '/v1/%6De',
        '/v1/../v1/me',
        '/v2/me',
        `/${'a/'.repeat(4000)}`,
      ),
    },
  )
}

const query = ({ cursors }: Known): fc.Arbitrary<string> => {
  const cursor = fc.oneof(
    fc.constantFrom(...cursors),
    fc
      .tuple(fc.constantFrom(...cursors), fc.nat({ max: 200 }), fc.constantFrom('A', '_', 'z', '=', '%00', ''))
      .map(([text, at, other]) => `${text.slice(0, at % text.length)}${other}${text.slice((at % text.length) + 1)}`),
    fc.tuple(fc.constantFrom(...cursors), fc.nat({ max: 200 })).map(([text, at]) => text.slice(0, at)),
    // Well formed, of any time and id, signed by nobody.
    fc
      .tuple(
        fc.constantFrom([255, 255, 255, 255, 255, 255], [0, 0, 0, 0, 0, 0], [1, 140, 0, 0, 0, 0]),
        fc.uint8Array({ minLength: 48, maxLength: 48 }),
      )
      .map(([time, rest]) => Buffer.from([1, 2, 0x6b, 0x31, ...time, ...rest]).toString('base64url')),
  )
  const value = fc.oneof(
    fc.constantFrom(
      'order.paid',
      'attendee.checked_in',
      'order.PAID',
      '1',
      '25',
      '100',
      '0',
      '101',
      '+5',
      '5.0',
      '%35',
      '',
    ),
    cursor,
    nasty.map(encoded),
    fc.constantFrom('%', '%zz', '%ff%fe', '%u0041', '[]', '{}', 'a=b=c', '%ed%a0%80'),
  )
  const name = fc.constantFrom(
    'type',
    'limit',
    'cursor',
    'type',
    'limit',
    'cursor',
    'Limit',
    'type[]',
    '%74ype',
    'x',
    '__proto__',
  )
  const pair = fc.tuple(name, value).map((parts) => parts.join('='))
  const right = fc
    .record({ limit: fc.option(fc.integer({ min: 1, max: 100 })), type: fc.option(fc.constant('order.paid')) })
    .map(({ limit, type }) =>
      [limit === null ? '' : `limit=${limit}`, type === null ? '' : `type=${type}`].filter(Boolean).join('&'),
    )
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: right },
    { weight: 3, arbitrary: cursor.map((each) => `cursor=${each}`) },
    { weight: 3, arbitrary: fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&')) },
    { weight: 1, arbitrary: fc.webQueryParameters() },
  )
}

const malformed = fc.oneof(
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'Bearer  x',
    'Basic YTpi',
    'Bearer a b',
    'Bearer x, Bearer y',
    `Bearer cb_live_${'0'.repeat(71)}`,
    `Bearer ${'x'.repeat(8000)}`,
    'Bearer null',
    'bearer\tx',
    'Digest username="a"',
  ),
  fc
    .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 120 })
    .map((text) => `Bearer ${text}`),
)

const authorization: fc.Arbitrary<Authorization> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      key: fc.constantFrom<KeyName[]>(...KEY_NAMES, 'all', 'all', 'all', 'all', 'reader', 'writer', 'rival', 'test'),
      scheme: fc.constantFrom('Bearer', 'Bearer', 'bearer', 'BEARER'),
    }),
  },
  { weight: 1, arbitrary: fc.array(malformed, { maxLength: 2 }).map((values) => ({ values })) },
  { weight: 1, arbitrary: fc.record({ key: fc.constantFrom<KeyName[]>('all', 'reader'), twice: fc.constant(true) }) },
)

const anything = fc.oneof(nasty, fc.jsonValue(), fc.constantFrom(null, true, 0, -0, 1e308, [], {}, [[]], [null], [1]))

const targetUrl = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((n) => `https://hooks.example.com/${n}`),
  fc.webUrl(),
  nasty.map((text) => `https://hooks.example.com/${text}`),
  fc.constantFrom(
    'http://a.example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://a.b@c.example.com',
    'javascript:alert(1)',
    'https://localhost',
    `https://${'a.'.repeat(200)}com/`,
  ),
)

const right = fc.record(
  {
    targetUrl: fc.integer({ min: 1, max: 60 }).map((n) => `https://hooks.example.com/${n}`),
    eventTypes: fc.subarray(['order.paid', 'attendee.checked_in'], { minLength: 1 }),
    integration: fc.constantFrom('zapier', 'make', 'n8n', 'other'),
    externalRef: fc.option(fc.constantFrom('ref', '😀'.repeat(255))),
  },
  { requiredKeys: ['targetUrl', 'eventTypes', 'integration'] },
)

/** A right body with some of its fields made wrong, left out or joined by others. */
const wrong = fc
  .tuple(
    right,
    fc.dictionary(
      fc.constantFrom(
        'targetUrl',
        'eventTypes',
        'integration',
        'externalRef',
        '__proto__',
        'constructor',
        'id',
        'secret',
      ),
      fc.oneof(
        anything,
        targetUrl,
        fc.array(fc.oneof(nasty, fc.constantFrom('order.paid', 'x')), { maxLength: 60 }),
        fc.constant(Array.from({ length: 3000 }, (_, n) => `type.${n}`)),
      ),
      { minKeys: 1 },
    ),
  )
  .map(([body, changes]) => JSON.stringify({ ...body, ...changes }))

const deep = fc.constantFrom(
  '['.repeat(10_000) + ']'.repeat(10_000),
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  `{"targetUrl":${'['.repeat(10_000)}${']'.repeat(10_000)},"eventTypes":[],"integration":"other"}`,
  '['.repeat(30_000),
)

const text = fc.oneof(
  { weight: 6, arbitrary: wrong },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: deep },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      'null',
      '"',
      '{',
      '[]',
      '{"a":1,}',
      "{'a':1}",
      '\ufeff{}',
      '{"targetUrl":"\\ud800","eventTypes":["\\u0000"],"integration":"\\udfff"}',
      '{"targetUrl":1,"targetUrl":"https://hooks.example.com/1"}',
      '1e400',
      '{"__proto__":{"targetUrl":"https://hooks.example.com/1"}}',
    ),
  },
)

const contentType = fc.constantFrom(
  undefined,
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON;charset="UTF-8"',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;;;',
  'application/problem+json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json, application/json',
)
const encoding = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  'identity',
  'gzip',
  'br',
  'x, y',
)

const utf8 = (value: string): Uint8Array => new TextEncoder().encode(value)
const bytes = fc.oneof(
  { weight: 8, arbitrary: text.map(utf8) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: right.map((body) => Uint8Array.from(Buffer.from(JSON.stringify(body), 'utf16le'))) },
  { weight: 1, arbitrary: right.map((body) => Uint8Array.from([0xef, 0xbb, 0xbf, ...utf8(JSON.stringify(body))])) },
  { weight: 1, arbitrary: right.map((body) => Uint8Array.from([...utf8(JSON.stringify(body)), 0xff])) },
)

/** A right body but for one field, so that nothing else hides what becomes of it. */
const almostRight = fc
  .tuple(
    right,
    fc.oneof(
      fc.tuple(fc.constantFrom('targetUrl', 'eventTypes', 'integration', 'externalRef'), anything),
      fc.tuple(fc.constant('externalRef'), nasty),
      fc.tuple(fc.constant('targetUrl'), targetUrl),
      fc.tuple(fc.constant('eventTypes'), fc.array(fc.oneof(nasty, fc.constant('order.paid')), { maxLength: 60 })),
    ),
  )
  .map(([value, [field, other]]) => utf8(JSON.stringify({ ...value, [field]: other })))

const body: fc.Arbitrary<FuzzBody> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ body: right, chunked: fc.boolean() }).map(({ body: value, chunked }) => {
      return {
        bytes: utf8(JSON.stringify(value)),
        contentType: 'application/json',
        encoding: undefined,
        chunked,
        valid: true,
      }
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      bytes: almostRight,
      contentType: fc.constant('application/json'),
      encoding: fc.constant(undefined),
      chunked: fc.boolean(),
      valid: fc.constant(false),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ bytes, contentType, encoding, chunked: fc.boolean(), valid: fc.constant(false) }),
  },
)

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
  if (at === SUBSCRIPTIONS) return 'POST'
  return at.startsWith(SUBSCRIPTIONS) ? 'DELETE' : 'GET'
}

/** As part of an address, where half a surrogate pair cannot be. */
function encoded(value: string): string {
  return encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd'))
}

/** Any request at all; half of them get past the door, to where their bodies and queries are read. */
export function requests(known: Known): fc.Arbitrary<FuzzRequest> {
  const any = fc
    .record({
      verb: fc.constantFrom(
        'right',
        'right',
        'right',
        'right',
        'GET',
        'POST',
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
    path: fc.constant('/v1/events'),
    query: query(known),
    authorization: fc.record({
      key: fc.constantFrom<KeyName[]>('all', 'reader', 'test', 'rival'),
      scheme: fc.constant('Bearer'),
    }),
    headers: fc.array(header, { maxLength: 1 }),
    body: fc.constant(undefined),
  })
  return fc.oneof(
    { weight: 4, arbitrary: any },
    { weight: 2, arbitrary: subscribing },
    { weight: 2, arbitrary: reading },
  )
}
