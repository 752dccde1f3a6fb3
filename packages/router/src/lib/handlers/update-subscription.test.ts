import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { createPlatform, type PlatformOptions, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'

const withSubscription = async (options?: PlatformOptions) => {
  const platform = await createPlatform(options)
  const { callboard, ask, issue } = platform
  const creator = await issue()
  const create = async (changes: object = {}) => {
    const json = { ...SUBSCRIPTION, ...changes }
    return (await ask(SUBSCRIPTIONS, { method: 'POST', token: creator.token, json })).json()
  }
  const { id } = await create()
  const patch = (json: unknown, { token = creator.token, of = id } = {}) =>
    ask(`${SUBSCRIPTIONS}/${of}`, { method: 'PATCH', token, json })
  const refused = async (json: unknown, asked?: Parameters<typeof patch>[1]) => {
    const response = await patch(json, asked)
    return [response.status, await problemIn(response)] as const
  }
  const ref = { accountId: 'acc_1', mode: 'live', id } as const
  const stored = () => callboard.subscriptions.find(ref)
  const entries = async () => (await callboard.audit.list({ objectId: id, limit: 100 })).entries
  return { ...platform, create, creator, entries, id, patch, ref, refused, stored }
}

describe('PATCH /v1/webhooks/subscriptions/:id', () => {
  it('changes several fields in one act, recorded once with the names of the fields', async () => {
    const { creator, entries, id, issue, patch, stored } = await withSubscription()
    const other = await issue(['webhooks.write'])
    const changes = {
      targetUrl: 'https://hooks.example.com/catch/2',
      eventTypes: ['order.paid', 'order.paid'],
      externalRef: 'zap 17',
    }
    const response = await patch({ ...changes, state: 'disabled' }, { token: other.token })
    expect(response.status).toBe(200)
    const after = { ...changes, eventTypes: ['order.paid'], state: 'disabled' }
    expect(await response.json()).toMatchObject({ id, ...after, disabled: { reason: 'account' }, personalData: false })
    expect(await stored()).toMatchObject({ ...after, confirmedBy: other.id })
    const [latest, created, ...none] = await entries()
    expect(latest).toMatchObject({
      action: 'subscription.changed',
      actor: { type: 'key', id: other.id },
      details: {
        fields: ['targetUrl', 'eventTypes', 'externalRef', 'state', 'disabledReason', 'confirmedBy'],
        state: 'disabled',
      },
    })
    expect(created).toMatchObject({ action: 'subscription.created', actor: { id: creator.id } })
    expect(none).toEqual([])
  })

  it('writes nothing if all values are the present ones, in whatever order the event types are', async () => {
    const { entries, issue, patch, stored } = await withSubscription()
    const before = await stored()
    const { token } = await issue()
    const { integration: _, targetUrl, eventTypes } = SUBSCRIPTION
    const same = { targetUrl, eventTypes: eventTypes.toReversed(), externalRef: null, state: 'active' }
    expect((await patch(same, { token })).status).toBe(200)
    expect(await stored()).toEqual(before)
    expect(await entries()).toHaveLength(1)
  })

  it('changes the identity: the same POST then finds the changed subscription, and the old one creates another', async () => {
    const { create, id, patch } = await withSubscription()
    await patch({ externalRef: 'zap 17', targetUrl: 'https://HOOKS.example.com/catch/2' })
    const same = { externalRef: 'zap 17', targetUrl: 'https://hooks.example.com:443/catch/2' }
    expect(await create(same)).toMatchObject({ id, created: false })
    await patch({ externalRef: null })
    expect(await create({ targetUrl: same.targetUrl })).toMatchObject({ id, created: false })
    expect(await create()).toMatchObject({ created: true })
  })

  it('answers 409 with the id of the other subscription that the change would equal, and changes nothing', async () => {
    const { create, entries, refused, stored } = await withSubscription()
    const other = await create({ externalRef: 'zap 17' })
    const before = await stored()
    const [status, problem] = await refused({ externalRef: 'zap 17', state: 'disabled' })
    expect([status, problem]).toMatchObject([409, { errorCode: 'SUBSCRIPTION_EXISTS', subscriptionId: other.id }])
    expect(problem).toHaveProperty('message', expect.stringContaining('Use it, or send something else.'))
    expect(await stored()).toEqual(before)
    expect(await entries()).toHaveLength(1)
  })

  it('gives an identity to exactly one of several calls that race', async () => {
    const { create, patch } = await withSubscription()
    const ids = await Promise.all(
      Array.from({ length: 5 }, async (_, at) => (await create({ externalRef: `${at}` })).id),
    )
    const responses = await Promise.all(ids.map((of) => patch({ externalRef: 'mine' }, { of })))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
  })

  it('loses no change of two calls that change different fields at the same time', async () => {
    const { create, id, patch } = await withSubscription()
    const [targetUrl, externalRef] = ['https://hooks.example.com/catch/2', 'zap 17']
    await Promise.all([patch({ targetUrl }), patch({ externalRef }), patch({ eventTypes: ['order.paid'] })])
    const same = await create({ targetUrl, externalRef, eventTypes: ['order.paid'] })
    expect(same).toMatchObject({ id, created: false })
  })

  it('answers 409 to a second change of types while deliveries from before the first are pending', async () => {
    const { callboard, patch, publishOrder, refused } = await withSubscription()
    await publishOrder('ord_1')
    await engineOf(callboard).store.deliveries.sequence(100)
    expect((await patch({ eventTypes: ['attendee.checked_in'] })).status).toBe(200)
    expect(await refused({ eventTypes: ['order.paid'] })).toMatchObject([409, { errorCode: 'CHANGE_PENDING' }])
    expect((await patch({ eventTypes: ['order.paid'], state: 'disabled' })).status).toBe(200)
  })

  it('enables what the account may enable, and then delivers only later events', async () => {
    const { callboard, entries, patch, ref, refused, stored } = await withSubscription()
    for (const by of ['account', 'gone'] as const) {
      const act = { act: 'disable', reason: by, replaces: [] } as const
      const [entry] = await entries()
      await engineOf(callboard).store.subscriptions.changeSubscription(ref, act, entry!)
      expect(await (await patch({ state: 'active' })).json()).toMatchObject({ state: 'active', disabled: null })
    }
    await callboard.subscriptions.disable({ ...ref, by: 'platform' })
    const before = await stored()
    const changes = { state: 'active', externalRef: 'zap 17' }
    expect(await refused(changes)).toMatchObject([409, { errorCode: 'DISABLED_BY_PLATFORM' }])
    expect((await patch({ state: 'disabled' })).status).toBe(200)
    expect(await stored()).toEqual(before)
  })

  it('counts changes, but never refuses to disable', async () => {
    const { patch, refused } = await withSubscription({ maxChangesPerMinute: 2 })
    expect((await patch({ externalRef: 'a' })).status).toBe(200)
    expect(await refused({ externalRef: 'b' })).toMatchObject([429, { errorCode: 'RATE_LIMITED' }])
    expect((await refused({ state: 'disabled', externalRef: 'b' }))[0]).toBe(429)
    expect((await patch({ state: 'disabled' })).status).toBe(200)
    expect((await patch({ state: 'active' })).status).toBe(429)
  })

  it.each<[string, unknown]>([
    ['targetUrl', { targetUrl: 'http://hooks.example.com/' }],
    ['targetUrl', { targetUrl: 'https://10.0.0.1/' }],
    ['targetUrl', { targetUrl: null }],
    ['eventTypes', { eventTypes: [] }],
    ['eventTypes', { eventTypes: ['order.lost'] }],
    ['eventTypes', { eventTypes: null }],
    ['eventTypes', { eventTypes: [], apiVersion: '2026-10-01' }],
    ['externalRef', { externalRef: '' }],
    ['externalRef', { externalRef: 7 }],
    ['externalRef', { externalRef: 'a\u0000b' }],
    ['apiVersion', { apiVersion: '2025-01-01' }],
    ['apiVersion', { apiVersion: null }],
    ['state', { state: 'paused' }],
    ['state', { state: null }],
    ['', {}],
    ['', { integration: 'make' }],
    ['', []],
    ['', 'text'],
    ['', null],
  ])('answers 400 and names the field %j when the body has %j', async (field, json) => {
    const { entries, refused } = await withSubscription()
    const [status, { issues, message }] = await refused(json)
    expect([status, issues?.map(({ path }) => path)]).toEqual([400, [field]])
    expect(message).toContain(field)
    expect(await entries()).toHaveLength(1)
  })

  it('names every invalid field at once', async () => {
    const { refused } = await withSubscription()
    const [, { issues }] = await refused({ targetUrl: 'https://localhost/', eventTypes: ['x'], externalRef: '' })
    expect(issues?.map(({ path }) => path)).toEqual(['targetUrl', 'eventTypes', 'externalRef'])
  })

  it('keeps an event type that has ended, but adds none', async () => {
    const { id, ref, ...platform } = await withSubscription()
    const { eventTypes } = SUBSCRIPTION
    const { subscriptions } = engineOf(platform.callboard).store
    const act = { act: 'revise', changes: { eventTypes: [...eventTypes, 'order.ended'] } } as const
    await subscriptions.changeSubscription(ref, act, (await platform.entries())[0]!)
    expect((await platform.patch({ eventTypes: ['order.ended'] })).status).toBe(200)
    expect((await platform.patch({ eventTypes })).status).toBe(200)
    expect((await platform.patch({ eventTypes: ['order.ended'] })).status).toBe(400)
  })
})
