import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../test/attempt-deliveries.ts'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

/** A platform with one subscription and two published orders, whose deliveries were not attempted yet. */
const withOrders = async () => {
  const platform = await createPlatform()
  const { token } = await platform.issue()
  const created = await platform.ask('/v1/webhooks/subscriptions', { token, method: 'POST', json: SUBSCRIPTION })
  const { id } = await created.json()
  const events = [await platform.publishOrder('ord_1'), await platform.publishOrder('ord_2')]
  const list = (query = '', key: string = token) =>
    platform.ask(`/v1/webhooks/subscriptions/${id}/deliveries${query}`, { token: key })
  const attempts = (event: string, query = '', key: string = token) => list(`/${event}/attempts${query}`, key)
  return { ...platform, token, id, events, list, attempts }
}

describe('GET /v1/webhooks/subscriptions/:id/deliveries', () => {
  it('lists deliveries, newest event first, with what came back', async () => {
    const { callboard, events, list } = await withOrders()
    await attemptDeliveries(callboard, { outcome: 'failed', status: 503 })
    const { data, nextCursor, hasMore } = await (await list()).json()
    expect(data).toMatchObject(
      [...events].reverse().map((eventId, at) => ({
        eventId,
        type: 'order.paid',
        occurredAt: expect.stringMatching(/Z$/),
        subject: { type: 'order', id: `ord_${2 - at}` },
        state: 'retrying',
        attempts: 1,
        nextAttemptAt: expect.stringMatching(/Z$/),
        lastAttempt: { outcome: 'failed', status: 503, reason: null, message: null },
      })),
    )
    expect({ nextCursor, hasMore }).toEqual({ nextCursor: null, hasMore: false })
  })

  it('says why there was no response', async () => {
    const { callboard, list } = await withOrders()
    await attemptDeliveries(callboard, { outcome: 'failed', reason: 'timeout' })
    const { data } = await (await list('?limit=1')).json()
    expect(data[0].lastAttempt).toMatchObject({
      status: null,
      reason: 'timeout',
      message: 'The target did not respond in time.',
    })
  })

  it('can be filtered by state and event, and read page by page', async () => {
    const { callboard, events, list, publishOrder } = await withOrders()
    await attemptDeliveries(callboard)
    const failed = await publishOrder('ord_3')
    await attemptDeliveries(callboard, { outcome: 'exhausted', status: 500 })
    const ids = async (query: string): Promise<string[]> =>
      (await (await list(query)).json()).data.map(({ eventId }: { eventId: string }) => eventId)
    expect(await ids('?state=exhausted')).toEqual([failed])
    expect(await ids(`?eventId=${events[0]}`)).toEqual([events[0]])
    expect(await ids(`?eventId=${events[0]}&state=delivered`)).toEqual([events[0]])
    expect(await ids(`?eventId=${events[0]}&state=exhausted`)).toEqual([])
    expect(await ids(`?eventId=${createId('evt')}`)).toEqual([])
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await (await list(`?limit=2${cursor && `&cursor=${cursor}`}`)).json()
      seen.push(...page.data.map(({ eventId }: { eventId: string }) => eventId))
      expect(page.hasMore).toBe(page.nextCursor !== null)
      cursor = page.nextCursor
    }
    expect(seen).toEqual([failed, ...[...events].reverse()])
  })

  it.each([
    ['state=lost', 'state'],
    ['state=', 'state'],
    ['state=delivered&state=delivered', 'state'],
    ['eventId=ord_1', 'eventId'],
    ['eventId=%00', 'eventId'],
    [`eventId=evt_${'0'.repeat(9_000)}`, 'eventId'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['cursor=nonsense', 'cursor'],
  ])('refuses ?%s with an issue for %s', async (query, path) => {
    const { list } = await withOrders()
    const response = await list(`?${query}`)
    expect(response.status).toBe(400)
    expect((await problemIn(response)).issues).toMatchObject([{ path }])
  })

  it('refuses a cursor of another list or filter', async () => {
    const { attempts, callboard, events, list } = await withOrders()
    await attemptDeliveries(callboard, { outcome: 'failed', status: 500 })
    const { nextCursor } = await (await list('?limit=1')).json()
    expect((await list(`?cursor=${nextCursor}`)).status).toBe(200)
    for (const response of [
      await list(`?cursor=${nextCursor}&state=retrying`),
      await list(`?cursor=${nextCursor}&eventId=${events[0]}`),
      await attempts(events[0]!, `?cursor=${nextCursor}`),
    ])
      expect((await problemIn(response)).issues).toMatchObject([{ path: 'cursor' }])
  })
})

describe('GET /v1/webhooks/subscriptions/:id/deliveries/:eventId/attempts', () => {
  it('lists the attempts of one delivery, newest first', async () => {
    const { attempts, callboard, clock, events } = await withOrders()
    await attemptDeliveries(callboard, { outcome: 'failed', reason: 'connect' })
    clock.now += 300_000
    await attemptDeliveries(callboard, { status: 200, response: 'ok' })
    const { data } = await (await attempts(events[0]!)).json()
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^att_/),
        number: 2,
        outcome: 'delivered',
        status: 200,
        reason: null,
        message: null,
        at: expect.stringMatching(/Z$/),
        durationMs: 120,
        response: 'ok',
      },
      expect.objectContaining({
        number: 1,
        outcome: 'failed',
        status: null,
        reason: 'connect',
        message: 'The target did not accept a connection.',
      }),
    ])
    const first = await (await attempts(events[0]!, '?limit=1')).json()
    const second = await (await attempts(events[0]!, `?limit=1&cursor=${first.nextCursor}`)).json()
    expect([...first.data, ...second.data]).toEqual(data)
    expect(second.nextCursor).toBe(null)
  })

  it('leaves out responses unless the key has people.read, because targets echo', async () => {
    const { attempts, callboard, events, issue } = await withOrders()
    await attemptDeliveries(callboard, { outcome: 'failed', status: 500, response: 'grace@example.com is unknown' })
    const reader = await issue(['webhooks.read'])
    const text = await (await attempts(events[0]!, '', reader.token)).text()
    expect(text).not.toContain('grace')
    expect(JSON.parse(text).data[0]).not.toHaveProperty('response')
    expect(await (await attempts(events[0]!)).text()).toContain('grace@example.com is unknown')
  })

  it.each([createId('evt'), createId('sub'), 'x', '%00', '%FF', 'evt_'.repeat(500)])(
    'answers 404 for the event %s, which the subscription never got',
    async (event) => {
      const { attempts } = await withOrders()
      expect((await problemIn(await attempts(event))).errorCode).toBe('NOT_FOUND')
    },
  )
})

describe('the subscription of a call about deliveries', () => {
  const calls = ['GET deliveries', 'GET deliveries/:event/attempts', 'POST deliveries/:event/resend', 'POST resend']

  it.each(calls)(
    'is not found by %s if it is of another account or mode, made in the dashboard, or removed',
    async (call) => {
      const { ask, callboard, events, id, issue } = await withOrders()
      await attemptDeliveries(callboard, { outcome: 'exhausted', status: 500 })
      const [method = '', path = ''] = call.replace(':event', events[0]!).split(' ')
      const send = (token: string, subscription: string) =>
        ask(`/v1/webhooks/subscriptions/${subscription}/${path}`, {
          method,
          token,
          ...(call === 'POST resend' ? { json: { since: '2026-11-20T00:00:00Z' } } : {}),
        })
      const { token } = await issue()
      expect((await send(token, id)).ok).toBe(true)
      await callboard.accounts.create({ id: 'acc_2', name: 'Pier Stage' })
      const dashboard = await callboard.subscriptions.create({
        accountId: 'acc_1',
        targetUrl: 'https://hooks.example.com/catch/2',
        eventTypes: ['order.paid'],
      })
      for (const [key, subscription] of [
        [(await issue(undefined, 'live', 'acc_2')).token, id],
        [(await issue(undefined, 'test')).token, id],
        [token, dashboard.id],
        [token, createId('sub')],
        [token, '%00'],
      ] as const) {
        const response = await send(key, subscription)
        expect(response.status).toBe(404)
        expect((await problemIn(response)).errorCode).toBe('NOT_FOUND')
      }
      await callboard.subscriptions.remove({ accountId: 'acc_1', id, by: 'platform' })
      expect((await send(token, id)).status).toBe(404)
    },
  )

  it.each(calls)('is not asked for by %s with a key that lacks the scope or is revoked', async (call) => {
    const { ask, callboard, events, id, issue } = await withOrders()
    const [method = '', path = ''] = call.replace(':event', events[0]!).split(' ')
    const needed = method === 'GET' ? 'webhooks.read' : 'webhooks.write'
    const other = await issue(needed === 'webhooks.read' ? ['webhooks.write'] : ['webhooks.read', 'people.read'])
    const send = (token: string) => ask(`/v1/webhooks/subscriptions/${id}/${path}`, { method, token })
    const refused = await problemIn(await send(other.token))
    expect(refused).toMatchObject({ statusCode: 403, errorCode: 'INSUFFICIENT_SCOPE' })
    expect(refused.message).toContain(needed)
    const revoked = await issue()
    await callboard.keys.revoke({ accountId: 'acc_1', id: revoked.id })
    expect((await send(revoked.token)).status).toBe(401)
  })
})
