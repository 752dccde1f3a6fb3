import { describe, expect, it } from 'vitest'
import { parseAuthorization } from './authorization-header.ts'

describe('parseAuthorization', () => {
  it.each(['Bearer abc', 'bearer abc', 'BEARER abc', 'bEaReR abc', ' Bearer abc\t', 'Bearer  abc'])(
    'reads the token from %j',
    (value) => {
      expect(parseAuthorization(value)).toEqual({ kind: 'token', token: 'abc' })
    },
  )

  it('accepts every character that a token may contain (RFC 6750, section 2.1)', () => {
    expect(parseAuthorization('Bearer aZ09-._~+/==')).toEqual({ kind: 'token', token: 'aZ09-._~+/==' })
  })

  it.each([undefined, null, '', ' ', '\t'])('treats %j as missing', (value) => {
    expect(parseAuthorization(value)).toEqual({ kind: 'missing' })
  })

  it.each([
    'Bearer',
    'Bearer ',
    'abc',
    'Basic abc',
    'Bearerabc',
    'Bearer\tabc',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer a,Bearer b',
    'Bearer a,',
    ', Bearer a',
    'Bearer =',
    'Bearer a=b',
    'Bearer "a"',
    'Bearer ä',
    'Bearer a\nb',
    'Bearer abc\n',
  ])('treats %j as malformed', (value) => {
    expect(parseAuthorization(value)).toMatchObject({ kind: 'malformed' })
  })

  it.each([
    ['Bearer', false],
    ['abc', false],
    ['Basic abc', false],
    ['Bearer a b', true],
    ['Bearer\tabc', true],
    ['Basic abc, Bearer a', true],
  ])('reports whether the malformed value %j contains a Bearer token: %j', (value, sent) => {
    expect(parseAuthorization(value)).toEqual({ kind: 'malformed', sent })
  })

  it('treats a value as malformed if `Headers` joined it from two headers', () => {
    const headers = new Headers([
      ['authorization', 'Bearer a'],
      ['authorization', 'Bearer b'],
    ])
    expect(parseAuthorization(headers.get('authorization'))).toEqual({ kind: 'malformed', sent: true })
  })
})
