import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'
import { subscriptionBody } from '../schemas/subscription-schemas.ts'

const withWriter = async (options?: Parameters<typeof createPlatform>[0]) => {
  const platform = await createPlatform(options)
  const { token } = await platform.issue(['webhooks.write'])
  const create = (json: unknown, key: string = token): Promise<Response> =>
    platform.ask('/v1/webhooks/subscriptions', { token: key, method: 'POST', json })
  return { ...platform, token, create }
}

describe('POST /v1/webhooks/subscriptions (section 4.4 of the /v1 contract)', () => {
  it('answers 201 with the fields that section 2.6 lists, but without externalRef if the caller sent none', async () => {
    const { create, clock } = await withWriter()
    const response = await create(SUBSCRIPTION)
    expect(response.status).toBe(201)
    const body = subscriptionBody.parse(await response.json())
    expect(body).toEqual({
      id: expect.stringMatching(/^sub_/),
      created: true,
      ...SUBSCRIPTION,
      apiVersion: '2026-10-01',
      secret: expect.stringMatching(/^whsec_/),
      createdAt: new Date(clock.now).toISOString(),
    })
  })

  it('returns externalRef if the caller sent one, and treats null like a missing externalRef', async () => {
    const { create } = await withWriter()
    const sent = await (await create({ ...SUBSCRIPTION, externalRef: 'zap 17' })).json()
    expect(sent.externalRef).toBe('zap 17')
    expect(await (await create({ ...SUBSCRIPTION, externalRef: null })).json()).not.toHaveProperty('externalRef')
  })

  it('answers 200 with the same subscription and the same secret to a repeated request', async () => {
    const { create } = await withWriter()
    const first = await (await create(SUBSCRIPTION)).json()
    const response = await create({ ...SUBSCRIPTION, eventTypes: [...SUBSCRIPTION.eventTypes].reverse() })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ ...first, created: false })
  })

  it('creates only one subscription for many identical concurrent requests', async () => {
    const { create } = await withWriter()
    const responses = await Promise.all(Array.from({ length: 10 }, () => create(SUBSCRIPTION)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201])
    const ids = await Promise.all(responses.map(async (response) => (await response.json()).id))
    expect(new Set(ids).size).toBe(1)
  })

  it.each([
    ['targetUrl', { targetUrl: 'http://hooks.example.com/' }],
    ['targetUrl', { targetUrl: 'https://127.0.0.1/' }],
    ['targetUrl', { targetUrl: undefined }],
    ['targetUrl', { targetUrl: 7 }],
    ['eventTypes', { eventTypes: [] }],
    ['eventTypes', { eventTypes: ['order.lost'] }],
    ['eventTypes', { eventTypes: 'order.paid' }],
    ['eventTypes', { eventTypes: Array.from({ length: 51 }, (_, index) => `type_${index}`) }],
    ['integration', { integration: 'nobody' }],
    ['integration', { integration: undefined }],
    ['externalRef', { externalRef: '' }],
    ['externalRef', { externalRef: 'x'.repeat(256) }],
    ['externalRef', { externalRef: 'a\u0000b' }],
    ['externalRef', { externalRef: '\ud800' }],
  ])('answers 400 and names the field %s when the body has %j', async (field, change) => {
    const { create } = await withWriter()
    const response = await create({ ...SUBSCRIPTION, ...change })
    expect(response.status).toBe(400)
    const { errorCode, issues, message } = await problemIn(response)
    expect(errorCode).toBe('VALIDATION_FAILED')
    expect(issues?.map(({ path }) => path)).toEqual([field])
    expect(message).toContain(field)
  })

  it.each([[null], [[]], ['text'], [7], [true]])('answers 400 to the body %j, which is not an object', async (json) => {
    const { create } = await withWriter()
    const response = await create(json)
    expect(response.status).toBe(400)
    expect((await problemIn(response)).issues?.map(({ path }) => path)).toEqual([''])
  })

  it('answers 409 when the account has reached its subscription limit', async () => {
    const { create } = await withWriter({ maxSubscriptions: 1 })
    await create(SUBSCRIPTION)
    const response = await create({ ...SUBSCRIPTION, externalRef: 'another' })
    expect(response.status).toBe(409)
    expect((await problemIn(response)).errorCode).toBe('SUBSCRIPTION_LIMIT_REACHED')
    expect((await create(SUBSCRIPTION)).status).toBe(200)
  })

  it('answers 429 with Retry-After when the account has created too many subscriptions within a minute', async () => {
    const { create, clock } = await withWriter({ maxNewSubscriptionsPerMinute: 1 })
    await create(SUBSCRIPTION)
    clock.now += 15_500
    const response = await create({ ...SUBSCRIPTION, externalRef: 'another' })
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('45')
    expect(response.headers.get('ratelimit')).not.toBeNull()
    expect(await problemIn(response)).toMatchObject({
      errorCode: 'RATE_LIMITED',
      message: 'The account has reached its limit of 1 new subscription a minute. Try again in 45 seconds.',
    })
    expect((await create(SUBSCRIPTION)).status).toBe(200)
    clock.now += 45_000
    expect((await create({ ...SUBSCRIPTION, externalRef: 'another' })).status).toBe(201)
  })
})
