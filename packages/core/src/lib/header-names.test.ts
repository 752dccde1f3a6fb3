import { expect, it } from 'vitest'
import { type HeaderNames, readHeaderNames } from './header-names.ts'

it('names Callboard in headers only where the platform gives no name', () => {
  expect(readHeaderNames()).toEqual({ userAgent: undefined, realm: 'callboard', test: 'callboard-test' })
  const names = {
    userAgent: 'Harbour-Webhooks/2 (+https://harbour.example)',
    realm: 'Harbour API',
    test: 'harbour-test',
  }
  expect(readHeaderNames(names)).toEqual(names)
})

it.each<[keyof HeaderNames, string]>([
  ['userAgent', ''],
  ['userAgent', 'a\r\nx: y'],
  ['userAgent', 'a'.repeat(256)],
  ['realm', 'a"b'],
  ['realm', 'a\\b'],
  ['test', 'X-Test'],
  ['test', 'webhook-signature'],
  ['test', 'content-type'],
  ['test', 'host'],
  ['test', 'user-agent'],
  ['test', 'authorization'],
  ...[
    ...['accept-encoding', 'date', 'expect', 'forwarded', 'http2-settings', 'keep-alive', 'range', 'sec-fetch-mode'],
    ...['svix-id', 'svix-signature', 'tracestate', 'via', 'x-forwarded-for'],
  ].map((name): ['test', string] => ['test', name]),
])('refuses %s = %j, which cannot stand in its header', (name, value) => {
  expect(() => readHeaderNames({ [name]: value })).toThrow(`headerNames.${name}`)
})
