import type { EventsPage } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn } from '../../../test/platform.ts'
import { eventList } from '../schemas/event-schemas.ts'

const pageIn = async (response: Response): Promise<EventsPage> => {
  expect(response.status).toBe(200)
  return eventList.parse(await response.json())
}

const withEvents = async (count: number) => {
  const platform = await createPlatform()
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.unshift(await platform.publishOrder(`ord_${index}`))
  const { token } = await platform.issue(['webhooks.read'])
  return { ...platform, ids, token }
}

describe('GET /v1/events (section 4.3 of the /v1 contract)', () => {
  it('returns an empty last page when there are no events', async () => {
    const { ask, token } = await withEvents(0)
    expect(await pageIn(await ask('/v1/events', { token }))).toEqual({ data: [], nextCursor: null, hasMore: false })
  })

  it('lists events newest first, in the envelope that section 2.4 defines', async () => {
    const { ask, clock, ids, token } = await withEvents(2)
    const { data } = await pageIn(await ask('/v1/events', { token }))
    expect(data.map(({ id }) => id)).toEqual(ids)
    expect(data[0]).toEqual({
      id: ids[0],
      type: 'order.paid',
      version: '2026-10-01',
      occurred_at: new Date(clock.now).toISOString(),
      account: { id: 'acc_1', name: 'Harbour Hall' },
      subject: { type: 'order', id: 'ord_1', sequence: 1 },
      correlation_id: null,
      livemode: true,
      data: { order: { id: 'ord_1', buyer: { entity_id: 'per_9' } } },
    })
  })

  it('removes personal data unless the key also has people.read (section 2.5)', async () => {
    const { ask, issue, token } = await withEvents(1)
    const buyer = async (key: string) => (await pageIn(await ask('/v1/events', { token: key }))).data[0]?.data
    expect(await buyer(token)).toEqual({ order: { id: 'ord_0', buyer: { entity_id: 'per_9' } } })
    expect(await buyer((await issue(['webhooks.read', 'people.read'])).token)).toEqual({
      order: { id: 'ord_0', buyer: { entity_id: 'per_9', name: 'Grace Sample', email: 'grace@example.com' } },
    })
  })

  it('returns 25 events by default, or the requested number from 1 to 100', async () => {
    const { ask, token } = await withEvents(101)
    const count = async (query: string) => (await pageIn(await ask(`/v1/events${query}`, { token }))).data.length
    expect(await Promise.all(['', '?limit=1', '?limit=007', '?limit=100'].map(count))).toEqual([25, 1, 7, 100])
  })

  it('returns a nextCursor on each page but the last, where nextCursor is null and hasMore is false', async () => {
    const { ask, ids, token } = await withEvents(5)
    const seen: string[] = []
    const more: boolean[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: EventsPage = await pageIn(
        await ask(`/v1/events?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, { token }),
      )
      seen.push(...page.data.map(({ id }) => id))
      more.push(page.hasMore)
      cursor = page.nextCursor
    }
    expect(seen).toEqual(ids)
    expect(more).toEqual([true, true, false])
  })

  it('lists only events of the requested type', async () => {
    const { ask, publishCheckIn, token } = await withEvents(2)
    const id = await publishCheckIn('att_1')
    const { data } = await pageIn(await ask('/v1/events?type=attendee.checked_in', { token }))
    expect(data.map((event) => event.id)).toEqual([id])
  })

  it('shows a key only the events of its own mode', async () => {
    const { ask, issue, publishOrder, token } = await withEvents(1)
    const id = await publishOrder('ord_test', 'test')
    const { data } = await pageIn(await ask('/v1/events', { token: (await issue(['webhooks.read'], 'test')).token }))
    expect(data).toMatchObject([{ id, livemode: false }])
    expect((await pageIn(await ask('/v1/events', { token }))).data).toHaveLength(1)
  })

  it('ignores unknown parameters, a fragment and a lone question mark', async () => {
    const { ask, token } = await withEvents(1)
    for (const query of ['?', '?&', '?Limit=0', '?x=1&x=2', '?page=-1', '#?limit=0', '?limit=1#?limit=0']) {
      expect((await pageIn(await ask(`/v1/events${query}`, { token }))).data).toHaveLength(1)
    }
  })
})

describe('GET /v1/events with an invalid query (section 4.3 of the /v1 contract)', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=%2B1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%201', 'limit'],
    ['limit=%D9%A3', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=NaN', 'limit'],
    [`limit=${'9'.repeat(400)}`, 'limit'],
    ['limit=', 'limit'],
    ['limit', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['limit=5&limit=5', 'limit'],
    ['limit=&limit=5', 'limit'],
    ['type=', 'type'],
    ['type=order.lost', 'type'],
    ['type=ORDER.PAID', 'type'],
    ['type=order.paid&type=order.paid', 'type'],
    ['type=&type=order.paid', 'type'],
    ['type=%00', 'type'],
    ['type=%FF', 'type'],
    [`type=${'%00'.repeat(60)}`, 'type'],
    ['cursor=', 'cursor'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=a&cursor=a', 'cursor'],
    [`cursor=${'A'.repeat(5_000)}`, 'cursor'],
  ])('answers 400 to ?%s and names %s', async (query, field) => {
    const { ask, token } = await withEvents(1)
    const response = await ask(`/v1/events?${query}`, { token })
    expect(response.status).toBe(400)
    const { errorCode, issues, message } = await problemIn(response)
    expect(errorCode).toBe('VALIDATION_FAILED')
    expect(issues).toEqual([{ path: field, message }])
    expect(message).toContain(field)
  })

  it('names the unknown event type in the message', async () => {
    const { ask, token } = await withEvents(0)
    expect((await problemIn(await ask('/v1/events?type=order.lost', { token }))).message).toContain('order.lost')
  })

  it('names every parameter that is repeated or empty', async () => {
    const { ask, token } = await withEvents(0)
    const { issues } = await problemIn(await ask('/v1/events?type=&limit=1&limit=2&cursor=', { token }))
    expect(issues?.map(({ path }) => path)).toEqual(['type', 'limit', 'cursor'])
  })

  it('refuses a cursor that was altered, or that was issued for another account, mode or type', async () => {
    const { ask, callboard, issue, token } = await withEvents(3)
    await callboard.accounts.create({ id: 'acc_2', name: 'Pier Stage' })
    const { nextCursor } = await pageIn(await ask('/v1/events?limit=1', { token }))
    const cursor = nextCursor ?? ''
    const altered = `${cursor.slice(0, 30)}${cursor[30] === 'A' ? 'B' : 'A'}${cursor.slice(31)}`
    const statuses = [
      await ask(`/v1/events?cursor=${cursor}`, { token }),
      await ask(`/v1/events?cursor=${altered}`, { token }),
      await ask(`/v1/events?cursor=${cursor}&type=order.paid`, { token }),
      await ask(`/v1/events?cursor=${cursor}`, { token: (await issue(['webhooks.read'], 'test')).token }),
      await ask(`/v1/events?cursor=${cursor}`, { token: (await issue(['webhooks.read'], 'live', 'acc_2')).token }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([200, 400, 400, 400, 400])
  })
})
