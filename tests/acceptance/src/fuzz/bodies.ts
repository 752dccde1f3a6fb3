import fc from 'fast-check'
import type { FuzzBody } from './fuzz-request.ts'
import { nasty } from './nasty-text.ts'

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

/** A valid body with some fields changed or added. */
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

/** A body of PATCH, or of a call that takes `secretVersion`. */
const changing = fc
  .record(
    {
      apiVersion: fc.oneof(fc.constantFrom('2026-10-01', '2026-04-01'), nasty),
      targetUrl: fc.oneof(
        right.map((value) => value.targetUrl),
        targetUrl,
      ),
      eventTypes: fc.oneof(
        right.map((value) => value.eventTypes),
        anything,
      ),
      externalRef: fc.oneof(fc.constantFrom('ref', null), anything),
      state: fc.oneof(fc.constantFrom('active', 'disabled'), anything),
      secretVersion: nasty,
      overlapSeconds: fc.oneof(fc.nat({ max: 700_000 }), anything),
    },
    { requiredKeys: [] },
  )
  .map((value) => utf8(JSON.stringify(value)))

/** A body of a resend. */
const time = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('2026-01-01T00:00:00Z', '2020-02-29T23:59:60Z', '9999-12-31T23:59:59.999Z') },
  { weight: 1, arbitrary: fc.oneof(nasty, anything) },
)
const ranging = fc
  .record(
    {
      since: time,
      until: time,
      states: fc.oneof(fc.subarray(['pending', 'retrying', 'exhausted', 'delivered']), anything),
      cursor: fc.oneof(fc.constant(null), nasty),
    },
    { requiredKeys: ['since'] },
  )
  .map((value) => utf8(JSON.stringify(value)))

/** A body with exactly one invalid field, so that no other error hides the expected error. */
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

export const body: fc.Arbitrary<FuzzBody> = fc.oneof(
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
      bytes: fc.oneof(almostRight, changing, ranging),
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
