import { describe, expect, it } from 'vitest'
import { pathPattern } from './path-pattern.ts'
import { isPlainPath } from './plain-path.ts'

describe('a plain path', () => {
  it.each(['', '/api', '/api/v1', '/a.b/c_d/e-f/~g', '/0'])('can be %j', (path) => {
    expect(isPlainPath(path)).toBe(true)
  })

  it.each([
    '/',
    'api',
    '/api/',
    '//api',
    '/api//v1',
    '/a b',
    '/api?',
    '/api#top',
    '/:account',
    '/(a|b)',
    '/a*',
    '/a%20b',
    '/ä',
    '/api\n',
    'https://example.com/api',
  ])('cannot be %j', (path) => {
    expect(isPlainPath(path)).toBe(false)
  })

  it('matches only itself when used as a path pattern', () => {
    const pattern = pathPattern('/a.b/c_d/e-f/~g')
    expect(pattern.test('/a.b/c_d/e-f/~g')).toBe(true)
    expect(pattern.test('/aXb/c_d/e-f/~g')).toBe(false)
  })
})
