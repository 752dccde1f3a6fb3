import { createId } from '@callboard/core'
import type { SentTest, TestSender } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'
const SENT: SentTest = {
  eventId: createId('test'),
  type: 'order.paid',
  outcome: 'failed',
  status: undefined,
  reason: 'timeout',
  durationMs: 15_000.4,
  response: undefined,
  request: { url: SUBSCRIPTION.targetUrl, headers: { 'webhook-signature': 'v1,x' }, body: '{}' },
}

const withSubscription = async (tests?: Pick<TestSender, 'sendByKey'>) => {
  const { ask, issue } = await createPlatform({ tests })
  const { token } = await issue()
  const { id } = await (await ask(SUBSCRIPTIONS, { method: 'POST', token, json: SUBSCRIPTION })).json()
  const send = (json: unknown, key = token) => ask(`${SUBSCRIPTIONS}/${id}/test`, { method: 'POST', token: key, json })
  return { id, issue, send }
}

// The acceptance tests send real test events (test-events.test.ts).
describe('POST /v1/webhooks/subscriptions/:id/test', () => {
  it('answers what the target did, with the reason in words, and nothing of the request', async () => {
    const asked: unknown[] = []
    const { id, send } = await withSubscription({
      async sendByKey({ account }, ...more) {
        asked.push(account.id, ...more)
        return SENT
      },
    })
    const response = await send({ type: 'order.paid' })
    expect(response.status).toBe(200)
    const { eventId, type, outcome } = SENT
    const message = 'The target did not respond in time.'
    expect(await response.json()).toEqual({
      ...{ eventId, type, outcome, status: null },
      ...{ reason: 'timeout', message, durationMs: 15_000 },
    })
    expect(asked).toEqual(['acc_1', id, { type: 'order.paid' }])
  })

  it('answers 404 if the platform sends no test events, and needs the scope webhooks.write', async () => {
    const { issue, send } = await withSubscription()
    const response = await send({ type: 'order.paid' })
    expect([response.status, (await problemIn(response)).errorCode]).toEqual([404, 'NOT_FOUND'])
    const { token } = await issue(['webhooks.read', 'people.read'])
    expect((await send({ type: 'order.paid' }, token)).status).toBe(403)
  })
})
