import { CallboardError } from '@callboard/core'
import type { SentTest } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`
const SENT: SentTest = {
  eventId: 'test_1',
  type: 'order.paid',
  outcome: 'failed',
  status: 500,
  reason: undefined,
  durationMs: 312,
  response: HOSTILE,
  request: {
    url: 'https://hooks.example.com/1',
    headers: { 'webhook-id': 'test_1', 'callboard-test': 'true' },
    body: '{"test":true,"id":"test_1"}',
  },
}

async function world(send: () => Promise<SentTest> = async () => SENT) {
  const asked: unknown[] = []
  const tests = {
    send(...input: unknown[]) {
      asked.push(input)
      return send()
    },
  }
  const opened = await openDashboard({ tests })
  const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid', 'event.published'] }
  const subscription = await opened.callboard.subscriptions.create({ accountId: 'acme', ...input })
  return { ...opened, asked, subscription, page: `/subscriptions/${subscription.id}/test` }
}

describe('sending a test event', () => {
  it('offers the subscription’s event types, and says that test events are marked and not stored', async () => {
    const { as, page, subscription } = await world()
    expect((await as().get(`/subscriptions/${subscription.id}`)).html).toContain(`href="/dashboard${page}"`)
    const { text, html } = await as().get(page)
    expect(text).toContain('marked with "test": true. It is not stored.')
    expect(html.match(/<option/g)).toHaveLength(2)
  })

  it('shows the status, duration, response and request', async () => {
    const { as, page, subscription, asked } = await world()
    const { status, text, html } = await as().post(page, { type: 'order.paid' })
    expect(status).toBe(200)
    expect(asked).toMatchObject([[{ accountId: 'acme', mode: 'live', id: subscription.id }, 'order.paid']])
    for (const said of [
      'The target returned 500 Internal Server Error',
      '312ms',
      HOSTILE,
      'callboard-test',
      '"test": true',
    ])
      expect(text).toContain(said)
    expect(html.replace(/<script type="module"/, '')).not.toContain('<script')
  })

  it('says that the target accepted the event, or why there was no response', async () => {
    const accepted = await world(async () => ({ ...SENT, outcome: 'delivered', status: 204, response: '' }))
    expect((await accepted.as().post(accepted.page, { type: 'order.paid' })).text).toContain(
      'The target accepted the test event.',
    )
    const late = await world(async () => ({ ...SENT, status: undefined, reason: 'timeout', response: undefined }))
    expect((await late.as().post(late.page, { type: 'order.paid' })).text).toContain('did not respond in time')
  })

  it('hides the response from viewers who may not see personal data', async () => {
    const { as, page } = await world()
    const { text } = await as({ can: ['webhooks.read', 'webhooks.write'] }).post(page, { type: 'order.paid' })
    expect(text).not.toContain(HOSTILE)
    expect(text).toContain('The response is hidden')
  })

  it('says so when too many test events have been sent', async () => {
    const { as, page } = await world(() =>
      Promise.reject(new CallboardError('RATE_LIMITED', 'Too many.', { retryAfter: 12 })),
    )
    const { status, text } = await as().post(page, { type: 'order.paid' })
    expect([status, text.includes('Wait 12 seconds.')]).toEqual([429, true])
  })

  it('is offered only if the platform sets the `tests` option', async () => {
    const { as, callboard } = await openDashboard()
    const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
    const { id } = await callboard.subscriptions.create({ accountId: 'acme', ...input })
    expect((await as().get(`/subscriptions/${id}`)).html).not.toContain(`/subscriptions/${id}/test`)
    expect((await as().get(`/subscriptions/${id}/test`)).status).toBe(404)
    expect((await as().post(`/subscriptions/${id}/test`, { type: 'order.paid' })).status).toBe(404)
  })
})
