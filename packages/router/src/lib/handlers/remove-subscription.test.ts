import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

const withSubscription = async () => {
  const platform = await createPlatform()
  const { token } = await platform.issue(['webhooks.write'])
  const create = async () =>
    (await platform.ask('/v1/webhooks/subscriptions', { token, method: 'POST', json: SUBSCRIPTION })).json()
  const remove = (id: string, key: string = token) =>
    platform.ask(`/v1/webhooks/subscriptions/${id}`, { token: key, method: 'DELETE' })
  return { ...platform, create, remove, subscription: await create() }
}

describe('DELETE /v1/webhooks/subscriptions/:id (section 4.5 of the /v1 contract)', () => {
  it('answers 204 without a body or a content type', async () => {
    const { remove, subscription } = await withSubscription()
    const response = await remove(subscription.id)
    expect(response.status).toBe(204)
    expect(response.body).toBe(null)
    expect(response.headers.has('content-type')).toBe(false)
    expect(response.headers.has('ratelimit')).toBe(true)
  })

  it('answers 204 to a repeated request', async () => {
    const { remove, subscription } = await withSubscription()
    await remove(subscription.id)
    expect((await remove(subscription.id)).status).toBe(204)
  })

  it('lets a later POST create a new subscription with a new secret', async () => {
    const { create, remove, subscription } = await withSubscription()
    await remove(subscription.id)
    const next = await create()
    expect(next.created).toBe(true)
    expect(next.id).not.toBe(subscription.id)
    expect(next.secret).not.toBe(subscription.secret)
  })

  it.each([createId('sub'), createId('evt'), 'x', '%00', '%FF', '%2e%2e', 'sub_'.repeat(500)])(
    'answers 404 to the unknown id %s',
    async (id) => {
      const { remove } = await withSubscription()
      const response = await remove(id)
      expect(response.status).toBe(404)
      expect((await problemIn(response)).errorCode).toBe('NOT_FOUND')
    },
  )

  it('answers 404 for a subscription of another account or mode, and does not remove it', async () => {
    const { callboard, issue, remove, subscription } = await withSubscription()
    await callboard.accounts.create({ id: 'acc_2', name: 'Pier Stage' })
    expect((await remove(subscription.id, (await issue(['webhooks.write'], 'live', 'acc_2')).token)).status).toBe(404)
    expect((await remove(subscription.id, (await issue(['webhooks.write'], 'test')).token)).status).toBe(404)
    expect(await callboard.subscriptions.list({ accountId: 'acc_1' })).toHaveLength(1)
  })
})
