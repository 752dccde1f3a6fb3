import { createId } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

const SINCE = '2026-11-20T00:00:00Z'

const withSubscription = async () => {
  const platform = await createPlatform()
  const { callboard, ask, issue } = platform
  const { token, id: keyId } = await issue()
  const created = await ask('/v1/webhooks/subscriptions', { token, method: 'POST', json: SUBSCRIPTION })
  const { id } = await created.json()
  const call = (method: string, options: { json?: unknown; token?: string; id?: string } = {}) =>
    ask(`/v1/webhooks/subscriptions/${options.id ?? id}/backfill`, {
      token: options.token ?? token,
      method,
      ...('json' in options ? { json: options.json } : method === 'POST' ? { json: { since: SINCE } } : {}),
    })
  const ref = { accountId: 'acc_1', id }
  return { ...platform, call, callboard, keyId, ref }
}

const codeOf = async (response: Promise<Response>) => {
  const problem = await problemIn(await response)
  return [problem.statusCode, problem.errorCode]
}

describe('/v1/webhooks/subscriptions/:id/backfill', () => {
  it('is started, read, extended and cancelled, with audit entries of the key for what changes', async () => {
    const { call, callboard, keyId, ref } = await withSubscription()
    expect(await codeOf(call('GET'))).toEqual([404, 'NOT_FOUND'])
    expect(await codeOf(call('DELETE'))).toEqual([404, 'NOT_FOUND'])
    const started = await call('POST')
    expect(started.status).toBe(200)
    const backfill = await started.json()
    expect(backfill).toEqual({
      state: 'running',
      since: '2026-11-20T00:00:00.000Z',
      startedAt: expect.stringMatching(/Z$/),
      reachedAt: null,
    })
    expect(await (await call('POST', { json: { since: '2026-11-20T02:00:00+01:00' } })).json()).toEqual(backfill)
    expect(await (await call('POST', { json: { since: '2026-11-19T23:00:00+01:00' } })).json()).toMatchObject({
      since: '2026-11-19T22:00:00.000Z',
    })
    expect(await (await call('GET')).json()).toMatchObject({ state: 'running', since: '2026-11-19T22:00:00.000Z' })
    expect(await (await call('DELETE')).json()).toMatchObject({ state: 'cancelled' })
    expect(await (await call('DELETE')).json()).toMatchObject({ state: 'cancelled' })

    const { entries } = await callboard.audit.list({ accountId: 'acc_1' })
    const own = entries.filter(({ action }) => action.startsWith('backfill.'))
    expect(own.map(({ action, actor, objectId }) => [action, actor.id, objectId])).toEqual([
      ['backfill.cancelled', keyId, ref.id],
      ['backfill.started', keyId, ref.id],
      ['backfill.started', keyId, ref.id],
    ])
    expect(own[2]?.details).toEqual({ since: '2026-11-20T00:00:00.000Z' })
  })

  it('refuses a disabled subscription, and says that disabling ended the backfill', async () => {
    const { call, callboard, ref } = await withSubscription()
    await call('POST')
    await callboard.subscriptions.disable({ ...ref, by: 'platform' })
    expect(await (await call('GET')).json()).toMatchObject({ state: 'cancelled' })
    expect(await codeOf(call('POST'))).toEqual([409, 'SUBSCRIPTION_DISABLED'])
  })

  it('leaves the confirming key of the subscription as it is', async () => {
    const { call, callboard, issue, keyId, ref } = await withSubscription()
    expect((await call('POST', { token: (await issue(['webhooks.write'])).token })).status).toBe(200)
    expect(await engineOf(callboard).store.subscriptions.find({ ...ref, mode: 'live' })).toMatchObject({
      confirmedBy: keyId,
    })
  })

  it.each([
    ['nothing', {}],
    ['a number', { since: 1_763_596_800 }],
    ['a date', { since: '2026-11-20' }],
    ['a time without an offset', { since: '2026-11-20T00:00:00' }],
    ['words', { since: 'yesterday' }],
    ['a time in the future', { since: '2126-11-20T00:00:00Z' }],
  ])('refuses %s as since', async (_, json) => {
    const { call } = await withSubscription()
    const problem = await problemIn(await call('POST', { json }))
    expect([problem.errorCode, problem.issues?.map(({ path }) => path)]).toEqual(['VALIDATION_FAILED', ['since']])
  })

  it('answers 404 for what the key may not see, and 403 without webhooks.write', async () => {
    const { call, callboard, issue } = await withSubscription()
    const own = await callboard.subscriptions.create({ accountId: 'acc_1', ...SUBSCRIPTION, integration: 'other' })
    for (const method of ['POST', 'GET', 'DELETE']) {
      for (const id of [createId('sub'), own.id, 'x'])
        expect(await codeOf(call(method, { id }))).toEqual([404, 'NOT_FOUND'])
      expect(await codeOf(call(method, { token: (await issue(['webhooks.write'], 'test')).token }))).toEqual([
        404,
        'NOT_FOUND',
      ])
      expect((await call(method, { token: (await issue(['webhooks.read'])).token })).status).toBe(403)
    }
  })
})
