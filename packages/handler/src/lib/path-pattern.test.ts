import { IttyRouter } from 'itty-router'
import { describe, expect, it } from 'vitest'
import { pathPattern } from './path-pattern.ts'

describe('pathPattern', () => {
  it('captures one segment for each parameter', () => {
    expect({ ...pathPattern('/accounts/:account/keys/:key').exec('/accounts/acme/keys/k%201')?.groups }).toEqual({
      account: 'acme',
      key: 'k%201',
    })
  })

  it.each(['/v1/events', '/v1/events/', '/v1/events/1/', '/v1/events/1/2', '/api/v1/events/1'])(
    'does not let /v1/events/:id match %s',
    (path) => {
      expect(pathPattern('/v1/events/:id').test(path)).toBe(false)
    },
  )

  it('matches a dot in the path literally', () => {
    expect(pathPattern('/openapi.json').test('/openapi.json')).toBe(true)
    expect(pathPattern('/openapi.json').test('/openapi-json')).toBe(false)
  })

  it('lets a path that ends in /? match with or without a trailing slash', () => {
    const pattern = pathPattern('/dashboard/?')
    expect(['/dashboard', '/dashboard/', '/dashboard//', '/dashboards'].map((path) => pattern.test(path))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('passes the parameters to a handler when used in the table of itty-router', async () => {
    const { fetch } = IttyRouter({ routes: [['GET', pathPattern('/v1/events/:id'), [({ params }) => params['id']]]] })
    expect(await fetch({ method: 'GET', url: 'https://api.example.com/v1/events/evt_1' })).toBe('evt_1')
  })
})
