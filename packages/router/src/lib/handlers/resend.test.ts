import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { type AttemptEnd, attemptDeliveries } from '../../../test/attempt-deliveries.ts'
import { createPlatform, type PlatformOptions, problemIn, SUBSCRIPTION } from '../../../test/platform.ts'

const SINCE = '2026-11-20T00:00:00Z'
const DAY_MS = 86_400_000

/** A platform with one subscription and one order, whose delivery ended as `end` says. */
const withDelivery = async (end: AttemptEnd | undefined, options?: PlatformOptions) => {
  const platform = await createPlatform(options)
  const { callboard, ask, issue } = platform
  const key = await issue(['webhooks.read', 'webhooks.write'])
  const { token } = key
  const { id } = await (await ask('/v1/webhooks/subscriptions', { token, method: 'POST', json: SUBSCRIPTION })).json()
  const event = await platform.publishOrder('ord_1')
  if (end !== undefined) await attemptDeliveries(callboard, end)
  const base = `/v1/webhooks/subscriptions/${id}`
  const resend = (eventId = event) => ask(`${base}/deliveries/${eventId}/resend`, { token, method: 'POST' })
  const resendRange = (json: unknown = { since: SINCE }) => ask(`${base}/resend`, { token, method: 'POST', json })
  const states = async (): Promise<string[]> =>
    (await (await ask(`${base}/deliveries`, { token })).json()).data.map(({ state }: { state: string }) => state)
  return { ...platform, id, event, key, token, resend, resendRange, states, ref: { accountId: 'acc_1', id } }
}

describe('POST /v1/webhooks/subscriptions/:id/deliveries/:eventId/resend', () => {
  it.each<[string, AttemptEnd | undefined, string]>([
    ['that was delivered', {}, 'scheduled'],
    ['that is exhausted', { outcome: 'exhausted', status: 500 }, 'scheduled'],
    ['that is retrying', { outcome: 'failed', status: 500 }, 'hastened'],
    ['that was not attempted yet', undefined, 'pending'],
  ])('answers 202 for a delivery %s', async (_what, end, outcome) => {
    const { resend, states } = await withDelivery(end)
    const response = await resend()
    expect(response.status).toBe(202)
    expect(await response.json()).toEqual({ outcome })
    expect(await states()).toEqual(outcome === 'pending' ? [] : [outcome === 'hastened' ? 'retrying' : 'pending'])
  })

  it('sends an event of the account that the subscription never got', async () => {
    const { ask, publishCheckIn, callboard, states, token } = await withDelivery({})
    const other = { ...SUBSCRIPTION, eventTypes: ['order.paid'], externalRef: 'orders' }
    const { id } = await (await ask('/v1/webhooks/subscriptions', { token, method: 'POST', json: other })).json()
    const event = await publishCheckIn('att_1')
    await attemptDeliveries(callboard)
    const response = await ask(`/v1/webhooks/subscriptions/${id}/deliveries/${event}/resend`, { token, method: 'POST' })
    expect(await response.json()).toEqual({ outcome: 'scheduled' })
    expect(await states()).toEqual(['delivered', 'delivered'])
  })

  it('answers 404 for an unknown event, or one of another account or mode', async () => {
    const { callboard, publishOrder, resend } = await withDelivery({})
    await callboard.accounts.create({ id: 'acc_2', name: 'Pier Stage' })
    const foreign = await publishOrder('ord_9', 'live', 'acc_2')
    for (const event of [foreign, await publishOrder('ord_2', 'test'), createId('evt'), 'x', '%00', '%FF'])
      expect((await problemIn(await resend(event))).errorCode).toBe('NOT_FOUND')
  })

  it('answers 409 SUBSCRIPTION_DISABLED while the subscription is disabled', async () => {
    const { callboard, ref, resend, resendRange } = await withDelivery({})
    await callboard.subscriptions.disable({ ...ref, by: 'platform' })
    for (const response of [await resend(), await resendRange()])
      expect(await problemIn(response)).toMatchObject({ statusCode: 409, errorCode: 'SUBSCRIPTION_DISABLED' })
  })

  it('answers 409 EVENT_EXPIRED once retention has removed the event', async () => {
    const { callboard, clock, resend } = await withDelivery({}, { retention: { attemptsMs: 60 * DAY_MS } })
    clock.now += 31 * DAY_MS
    await callboard.retention.run()
    expect(await problemIn(await resend())).toMatchObject({ statusCode: 409, errorCode: 'EVENT_EXPIRED' })
  })
})

describe('POST /v1/webhooks/subscriptions/:id/resend', () => {
  it('resends the undelivered events of a range, and starting over sends nothing twice', async () => {
    const { resendRange, states } = await withDelivery({ outcome: 'exhausted', status: 500 })
    const response = await resendRange()
    expect(response.status).toBe(202)
    expect(await response.json()).toEqual({ resent: 1, waiting: 0, nextCursor: null })
    expect(await states()).toEqual(['pending'])
    expect(await (await resendRange()).json()).toMatchObject({ resent: 0 })
  })

  it('takes times with any offset, an end that is left out of the range, and states in any order', async () => {
    const { resendRange } = await withDelivery({ outcome: 'exhausted', status: 500 })
    const publishedAt = '2026-11-20T12:00:00.001Z'
    const resent = async (range: object): Promise<number> => (await (await resendRange(range)).json()).resent
    expect(await resent({ since: SINCE, until: publishedAt })).toBe(0)
    expect(await resent({ since: '2026-11-20T13:00:00.002+01:00' })).toBe(0)
    expect(await resent({ since: SINCE, states: ['retrying', 'disabled'] })).toBe(0)
    expect(
      await resent({ since: '2026-11-20T13:00:00.001+01:00', until: null, states: ['skipped', 'exhausted'] }),
    ).toBe(1)
  })

  it('continues with nextCursor, for the same range only', async () => {
    const { callboard, id, key, publishOrder, resendRange } = await withDelivery(undefined)
    for (let order = 2; order <= 501; order++) await publishOrder(`ord_${order}`)
    await attemptDeliveries(callboard, { outcome: 'exhausted', status: 500 })
    const first = await (await resendRange()).json()
    expect(first).toEqual({ resent: 500, waiting: 0, nextCursor: expect.any(String) })
    const { nextCursor: cursor } = first
    const other = await resendRange({ since: '2026-11-20T00:00:01Z', cursor })
    expect((await problemIn(other)).issues).toMatchObject([{ path: 'cursor' }])
    expect(await (await resendRange({ since: SINCE, cursor })).json()).toEqual({
      resent: 1,
      waiting: 0,
      nextCursor: null,
    })
    // A range is one change, however many requests it takes.
    const { entries } = await callboard.audit.list({ accountId: 'acc_1', limit: 100 })
    expect(entries.filter(({ action }) => action === 'deliveries.resent')).toMatchObject([
      { actor: { type: 'key', id: key.id }, objectId: id },
    ])
  })

  it.each<[string, unknown, string]>([
    ['no range', {}, 'since'],
    ['a date without a time', { since: '2026-11-20' }, 'since'],
    ['a time without an offset', { since: '2026-11-20T00:00:00' }, 'since'],
    ['a day that does not exist', { since: '2026-02-30T00:00:00Z' }, 'since'],
    ['the year 0', { since: '0000-01-01T00:00:00Z' }, 'since'],
    ['a number', { since: 1_790_000_000_000 }, 'since'],
    ['an end before its start', { since: SINCE, until: '2026-11-19T00:00:00Z' }, 'until'],
    ['an end at its start', { since: SINCE, until: SINCE }, 'until'],
    ['an unknown state', { since: SINCE, states: ['lost'] }, 'states'],
    ['the state delivered', { since: SINCE, states: ['exhausted', 'delivered'] }, 'states'],
    ['the state expired', { since: SINCE, states: ['expired'] }, 'states'],
    ['no states', { since: SINCE, states: [] }, 'states'],
    ['a state that is not in a list', { since: SINCE, states: 'exhausted' }, 'states'],
    ['NUL as a state', { since: SINCE, states: ['\0'] }, 'states'],
    ['an empty cursor', { since: SINCE, cursor: '' }, 'cursor'],
    ['a forged cursor', { since: SINCE, cursor: 'AAAA' }, 'cursor'],
    ['a list', [], ''],
  ])('refuses %s', async (_what, body, path) => {
    const { resendRange } = await withDelivery({})
    const problem = await problemIn(await resendRange(body))
    expect(problem).toMatchObject({ statusCode: 400, issues: [{ path }] })
  })

  it('names every invalid field', async () => {
    const { resendRange } = await withDelivery({})
    const { issues } = await problemIn(await resendRange({ since: 'x', until: 'y', states: [] }))
    expect(issues?.map(({ path }) => path)).toEqual(['since', 'until', 'states'])
  })
})

describe('a resend', () => {
  it('is recorded as a change by the key, and leaves the confirming key as it is', async () => {
    const { ask, callboard, id, issue, key, event, ref, token } = await withDelivery({})
    const writer = await issue(['webhooks.write'])
    const path = `/v1/webhooks/subscriptions/${id}`
    await ask(`${path}/deliveries/${event}/resend`, { token: writer.token, method: 'POST' })
    await ask(`${path}/resend`, { token, method: 'POST', json: { since: SINCE, states: ['exhausted'] } })
    const { entries } = await callboard.audit.list({ accountId: 'acc_1', limit: 100 })
    expect(entries.filter(({ action }) => action === 'delivery.resent')).toMatchObject([
      { actor: { type: 'key', id: writer.id }, objectId: id, details: { eventId: event } },
    ])
    // Nothing was found to resend, so nothing was recorded.
    expect(entries.filter(({ action }) => action === 'deliveries.resent')).toEqual([])
    expect((await callboard.subscriptions.find(ref))?.confirmedBy).toBe(key.id)
  })

  it('counts as a change: too many within a minute are a 429 with Retry-After', async () => {
    const { resend, resendRange } = await withDelivery({}, { maxChangesPerMinute: 3 })
    expect([(await resend()).status, (await resend()).status]).toEqual([202, 202])
    for (const response of [await resend(), await resendRange()]) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await problemIn(response)).errorCode).toBe('RATE_LIMITED')
    }
  })
})
