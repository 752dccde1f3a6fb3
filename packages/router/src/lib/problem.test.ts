import { CallboardError, type ErrorCode, isCallboardError } from '@callboard/core'
import type { Store } from '@callboard/core/store'
import { describe, expect, it, vi } from 'vitest'
import { createPlatform, type PlatformOptions, problemIn, SUBSCRIPTION } from '../../test/platform.ts'
import { STATUS } from './problem.ts'

/** A store on which one operation fails with the given error. */
const failing =
  (part: 'admitRequest' | 'createSubscription' | 'changeSubscription', error: unknown) =>
  (store: Store<unknown>): Store<unknown> => {
    const fail = () => Promise.reject(error)
    if (part === 'admitRequest') return { ...store, admission: { ...store.admission, [part]: fail } }
    return { ...store, subscriptions: { ...store.subscriptions, [part]: fail } }
  }

const createWith = async (options: PlatformOptions): Promise<Response> => {
  const { ask, issue } = await createPlatform(options)
  return ask('/v1/webhooks/subscriptions', { token: (await issue()).token, method: 'POST', json: SUBSCRIPTION })
}

describe('the error table (section 7 of the /v1 contract)', () => {
  it.each<[keyof typeof STATUS, number]>([
    ['VALIDATION_FAILED', 400],
    ['UNAUTHENTICATED', 401],
    ['INSUFFICIENT_SCOPE', 403],
    ['NOT_FOUND', 404],
    ['METHOD_NOT_ALLOWED', 405],
    ['SUBSCRIPTION_LIMIT_REACHED', 409],
    ['SUBSCRIPTION_EXISTS', 409],
    ['SUBSCRIPTION_DISABLED', 409],
    ['DISABLED_BY_PLATFORM', 409],
    ['CHANGE_PENDING', 409],
    ['EVENT_EXPIRED', 409],
    ['SECRET_ROTATED', 409],
    ['PAYLOAD_TOO_LARGE', 413],
    ['UNSUPPORTED_MEDIA_TYPE', 415],
    ['RATE_LIMITED', 429],
    ['INTERNAL', 500],
    ['UNAVAILABLE', 503],
  ])('gives %s the status %i', (code, status) => {
    expect(STATUS[code]).toBe(status)
  })

  const own = ['CATALOG_INVALID', 'CONFIGURATION_INVALID', 'ACCOUNT_EXISTS', 'EVENT_TYPE_UNKNOWN'] as const
  const more = ['EVENT_TOO_LARGE', 'IDEMPOTENCY_CONFLICT', 'TRANSACTION_CONFLICT', 'PINNING_UNSUPPORTED'] as const
  const limits = ['KEY_LIMIT_REACHED', 'PUBLISH_LIMIT_REACHED'] as const

  it.each<ErrorCode>([...own, ...more, ...limits, 'SUBSCRIPTION_MANAGED'])(
    'returns INTERNAL to a caller in place of %s, which is only for the platform',
    async (code) => {
      const onError = vi.fn()
      const response = await createWith({
        onError,
        breakStore: failing('createSubscription', new CallboardError(code, 'told to nobody')),
      })
      expect(response.status).toBe(500)
      const { errorCode, message } = await problemIn(response)
      expect(errorCode).toBe('INTERNAL')
      expect(message).not.toContain('told')
      expect(onError).toHaveBeenCalledOnce()
    },
  )

  it('turns an unknown code from a newer core into INTERNAL', async () => {
    const error = Object.assign(new CallboardError('NOT_FOUND', 'told to nobody'), { code: 'toString' })
    expect(isCallboardError(error)).toBe(true)
    const response = await createWith({ breakStore: failing('createSubscription', error) })
    expect(response.status).toBe(500)
    expect((await problemIn(response)).errorCode).toBe('INTERNAL')
  })

  it('uses the name of an error to recognise errors from another copy of core', async () => {
    const error = Object.assign(new Error('Enough.'), {
      name: 'CallboardError',
      code: 'SUBSCRIPTION_LIMIT_REACHED',
      issues: [],
    })
    expect((await createWith({ breakStore: failing('createSubscription', error) })).status).toBe(409)
  })
})

describe('500', () => {
  it.each([
    new Error('select secret from subscriptions: connection string postgres://user:pass@db'),
    'a string',
    undefined,
    null,
    { code: 'NOT_FOUND', message: 'no error' },
  ])('hides its cause from the caller, but passes the cause and request id to onError (%#)', async (cause) => {
    const onError = vi.fn()
    const response = await createWith({ onError, breakStore: failing('createSubscription', cause) })
    expect(response.status).toBe(500)
    const { errorCode, message, requestId, issues } = await problemIn(response)
    expect({ errorCode, message, issues }).toEqual({
      errorCode: 'INTERNAL',
      message: 'Something went wrong on our side. Try again. If the problem persists, quote the requestId to support.',
      issues: undefined,
    })
    expect(onError).toHaveBeenCalledExactlyOnceWith(cause, { requestId })
    expect(response.headers.has('ratelimit')).toBe(true)
  })

  it('a store failure during the check of the key also causes a 500', async () => {
    const onError = vi.fn()
    const { ask, issue } = await createPlatform({ onError, breakStore: failing('admitRequest', new Error('boom')) })
    const response = await ask('/v1/me', { token: (await issue()).token })
    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledWith(expect.any(Error), { requestId: (await problemIn(response)).requestId })
  })

  it('a 500 is returned even if onError throws or rejects', async () => {
    const hooks = [
      () => {
        throw new Error('the hook failed')
      },
      () => Promise.reject(new Error('the hook failed later')),
    ]
    for (const onError of hooks)
      expect((await createWith({ onError, breakStore: failing('createSubscription', new Error('boom')) })).status).toBe(
        500,
      )
  })

  describe('without onError', () => {
    const databaseError = Object.assign(new Error('duplicate key\n    at (email)=(ada@example.com)'), {
      code: '23505',
      detail: 'Key (email)=(ada@example.com) already exists.',
    })

    it('prints the code and place of the error and the request id, but no values', async () => {
      const print = vi.spyOn(console, 'error').mockReturnValue()
      const cause = new CallboardError('UNAVAILABLE', 'The database cannot be reached.', { cause: databaseError })
      for (const [error, kind] of [
        [databaseError, /^Callboard: Error 23505 at \S.*problem\.test\.ts:[\d:]+/],
        [
          new AggregateError([cause]),
          /^Callboard: AggregateError of UNAVAILABLE: The database cannot be reached\., caus/,
        ],
        ['ada@example.com', /^Callboard: something other than an error was thrown/],
      ] as const) {
        print.mockClear()
        const response = await createWith({ breakStore: failing('createSubscription', error) })
        const { requestId } = await problemIn(response)
        expect(print.mock.calls).toEqual([[expect.stringMatching(kind)]])
        expect(print.mock.lastCall?.[0]).toContain(` (request ${requestId}). Pass onError to createCallboard`)
        expect(print.mock.lastCall?.[0]).not.toContain('ada@example')
      }
      print.mockRestore()
    })

    it('prints each kind of error once a minute', async () => {
      const print = vi.spyOn(console, 'error').mockReturnValue()
      let error: unknown = databaseError
      const fail = (store: Store<unknown>): Store<unknown> => ({
        ...store,
        admission: { ...store.admission, admitRequest: () => Promise.reject(error) },
      })
      const { ask, clock, issue } = await createPlatform({ breakStore: fail })
      const { token } = await issue()
      const printed = async (): Promise<number> => {
        print.mockClear()
        expect((await ask('/v1/me', { token })).status).toBe(500)
        return print.mock.calls.length
      }
      expect([await printed(), await printed()]).toEqual([1, 0])
      error = new TypeError('x is not a function')
      expect([await printed(), await printed()]).toEqual([1, 0])
      clock.now += 60_000
      expect([await printed(), await printed()]).toEqual([1, 0])
      print.mockRestore()
    })
  })

  it('with onError, nothing is printed', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue()
    await createWith({ onError: () => undefined, breakStore: failing('createSubscription', new Error('boom')) })
    expect(print).not.toHaveBeenCalled()
    print.mockRestore()
  })

  it('a 4xx is not reported to onError', async () => {
    const onError = vi.fn()
    const { ask, issue } = await createPlatform({ onError })
    const { token } = await issue()
    for (const path of ['/nowhere', '/v1/events?limit=0', '/v1/events?cursor=x']) await ask(path, { token })
    await ask('/v1/me')
    await ask('/v1/webhooks/subscriptions', { token, method: 'POST' })
    expect(onError).not.toHaveBeenCalled()
  })

  it('a request body that the platform has already read causes a 500 and a report to onError', async () => {
    const onError = vi.fn()
    const { fetch, issue } = await createPlatform({ onError })
    const headers = { authorization: `Bearer ${(await issue()).token}`, 'content-type': 'application/json' }
    const request = new Request('https://api.example.com/v1/webhooks/subscriptions', {
      method: 'POST',
      headers,
      body: '{}',
    })
    const reader = request.body?.getReader()
    await reader?.read()
    reader?.releaseLock()
    expect((await fetch(request)).status).toBe(500)
    expect(onError).toHaveBeenCalledOnce()
  })
})

describe('503', () => {
  const unavailable = new CallboardError('UNAVAILABLE', 'db-7.internal refused the connection', {
    cause: new Error('ECONNREFUSED'),
  })

  it.each([
    ['/v1/me', 'admitRequest'],
    ['/v1/events', 'admitRequest'],
  ] as const)('tells a caller of %s to try again in a second when the store is unreachable', async (path, part) => {
    const onError = vi.fn()
    const { ask, issue } = await createPlatform({ onError, breakStore: failing(part, unavailable) })
    const response = await ask(path, { token: (await issue()).token })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    const { errorCode, message } = await problemIn(response)
    expect(errorCode).toBe('UNAVAILABLE')
    expect(message).not.toContain('db-7')
    expect(onError).toHaveBeenCalledOnce()
  })
})

describe('issues', () => {
  it('each issue has a path and a message, but not the code that core adds', async () => {
    const issue = { path: 'targetUrl', message: 'targetUrl is not valid.' }
    const error = new CallboardError('VALIDATION_FAILED', issue.message, { issues: [{ ...issue, code: 'TARGET' }] })
    const response = await createWith({ breakStore: failing('createSubscription', error) })
    expect((await response.json()).issues).toEqual([issue])
  })
})

describe('messages', () => {
  it('the messages of errors and issues are cut to 200 characters', async () => {
    const long = 'x'.repeat(300)
    const error = new CallboardError('VALIDATION_FAILED', long, {
      issues: [{ path: 'a', code: 'INVALID', message: long }],
    })
    const { issues, message } = await problemIn(await createWith({ breakStore: failing('createSubscription', error) }))
    expect(message).toHaveLength(200)
    expect(issues?.[0]?.message).toHaveLength(200)
  })
})
