import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

const TARGET = 'https://hooks.example.com/catch/1?key=s3cret'

const withSubscription = async () => {
  const platform = await createPlatform()
  const writer = await platform.issue()
  const reader = await platform.issue(['webhooks.read'])
  const json = { ...SUBSCRIPTION, targetUrl: TARGET, externalRef: 'zap 17' }
  const create = async () =>
    (await platform.ask('/v1/webhooks/subscriptions', { token: writer.token, method: 'POST', json })).json()
  const { secret, created, ...subscription } = await create()
  const get = (token: string, id: string = subscription.id, method = 'GET') =>
    platform.ask(`/v1/webhooks/subscriptions/${id}`, { token, method })
  const ref = { accountId: 'acc_1', id: subscription.id }
  return { ...platform, create, get, reader, ref, secret, subscription, writer }
}

describe('GET /v1/webhooks/subscriptions/:id', () => {
  it('answers the subscription with its state and health, without its secret', async () => {
    const { get, writer, secret, subscription } = await withSubscription()
    const response = await get(writer.token)
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).not.toContain(secret.slice('whsec_'.length))
    expect(JSON.parse(text)).toEqual({
      ...subscription,
      state: 'active',
      disabled: null,
      personalData: true,
      secretVersion: expect.stringMatching(/^[\w-]{16}$/),
      health: {
        delivered: 0,
        failed: 0,
        failing: null,
        pausedUntil: null,
        nextAttemptAt: null,
        retrying: 0,
        oldestPendingAt: null,
        lastAttempt: null,
      },
    })
  })

  it('shows only the origin of the target to a key without webhooks.write', async () => {
    const { get, reader } = await withSubscription()
    const text = await (await get(reader.token)).text()
    expect(JSON.parse(text).targetUrl).toBe('https://hooks.example.com')
    expect(text).not.toContain('s3cret')
  })

  it('says why the subscription is disabled, and what to do about it', async () => {
    const { callboard, create, get, ref, reader, writer } = await withSubscription()
    await callboard.keys.revoke({ accountId: 'acc_1', id: writer.id })
    const disabled = await (await get(reader.token)).json()
    expect(disabled).toMatchObject({ state: 'disabled', personalData: false, disabled: { reason: 'key' } })
    expect(disabled.disabled.message).toContain('revoked')
    expect(disabled.disabled.remedy).toContain('with a valid key')
    await callboard.subscriptions.enable({ ...ref, by: 'platform', keyId: reader.id })
    expect(await (await get(reader.token)).json()).toMatchObject({ state: 'active', disabled: null })
    await create()
  })

  it.each([createId('sub'), createId('evt'), 'x', '%00'])('answers 404 to the unknown id %s', async (id) => {
    const { get, reader } = await withSubscription()
    const response = await get(reader.token, id)
    expect(response.status).toBe(404)
    expect((await problemIn(response)).errorCode).toBe('NOT_FOUND')
  })

  it('answers 404 for a subscription of another account or mode, from the dashboard, or removed', async () => {
    const { callboard, get, issue, reader, ref } = await withSubscription()
    await callboard.accounts.create({ id: 'acc_2', name: 'Pier Stage' })
    const statusFor = async (token: string, id?: string) => (await get(token, id)).status
    expect(await statusFor((await issue(['webhooks.read'], 'live', 'acc_2')).token)).toBe(404)
    expect(await statusFor((await issue(['webhooks.read'], 'test')).token)).toBe(404)
    const own = await callboard.subscriptions.create({ accountId: 'acc_1', ...SUBSCRIPTION, integration: 'other' })
    expect(await statusFor(reader.token, own.id)).toBe(404)
    await callboard.subscriptions.remove({ ...ref, by: 'platform' })
    expect(await statusFor(reader.token)).toBe(404)
  })

  it('needs the scope webhooks.read, and answers HEAD like GET but without a body', async () => {
    const { get, issue, reader, subscription } = await withSubscription()
    expect((await get((await issue(['webhooks.write'])).token)).status).toBe(403)
    const response = await get(reader.token, subscription.id, 'HEAD')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(400)
  })
})
