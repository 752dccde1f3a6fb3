import { describe, expect, it } from 'vitest'
import { requestLine } from './request-line.ts'

const lineOf = (url: string, method = 'GET') => requestLine(new Request(url, { method }))

describe('requestLine', () => {
  it('treats HEAD as GET', () => {
    expect(lineOf('https://example.com/', 'HEAD').method).toBe('GET')
  })

  it.each(['GET', 'POST', 'DELETE', 'OPTIONS'])('does not change the method %s', (method) => {
    expect(lineOf('https://example.com/', method).method).toBe(method)
  })

  it.each(['/a?b=1', 'http://a b/a?b=1', 'http:///a?b=1'])(
    'also splits %s, the URL of a request with no valid host',
    (url) => {
      expect(requestLine({ ...new Request('https://example.com'), method: 'GET', url })).toEqual({
        method: 'GET',
        url: 'http://localhost/a',
        search: '?b=1',
      })
    },
  )

  it.each([
    ['/a', '/a', ''],
    ['/a?', '/a', '?'],
    ['/a?b=1&b=2', '/a', '?b=1&b=2'],
    ['/a?b=?c', '/a', '?b=?c'],
    ['/a#top', '/a', ''],
    ['/a?b=1#top', '/a', '?b=1'],
    ['/a#top?b=1', '/a', ''],
  ])('splits %s into the URL %s and the query %j', (path, before, search) => {
    expect(lineOf(`https://example.com${path}`)).toMatchObject({ url: `http://localhost${before}`, search })
  })
})
