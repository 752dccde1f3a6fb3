import { createId } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { type AttemptEnd, attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`

/** Creates a subscription of `acme`, with one attempted delivery for each entry of `ends`. */
async function world(
  ends: readonly AttemptEnd[] = [],
  key: Parameters<Awaited<ReturnType<typeof openDashboard>>['hook']>[1] = {},
) {
  const opened = await openDashboard()
  const { callboard, hook, publish, advance } = opened
  // To half a minute past the hour, so that no hour ends between a publish and its attempt.
  advance(3_600_000 + 30_000 - (Date.now() % 3_600_000))
  const subscription = await hook({}, key)
  const ids: string[] = []
  for (const _ of ends) ids.push(await publish())
  await attemptDeliveries(callboard, Object.fromEntries(ids.map((id, index) => [id, ends[index] ?? {}])))
  const list = `/subscriptions/${subscription.id}/deliveries`
  return {
    ...opened,
    subscription,
    ids,
    list,
    at: (index: number) => `${list}/${ids[index]}`,
  }
}

const FAILED: AttemptEnd = { outcome: 'failed', status: undefined, reason: 'timeout' }
const EXHAUSTED: AttemptEnd = { outcome: 'exhausted', status: 500, number: 10, response: 'oh no' }

describe('the list of a subscription’s deliveries', () => {
  it('shows each delivery’s state, last attempt and next attempt', async () => {
    const { as, list, ids, publish } = await world([{ status: 204 }, FAILED, EXHAUSTED])
    const unsequenced = await publish()
    const { status, html, text } = await as().get(list)
    expect(status).toBe(200)
    for (const id of ids) expect(html).toContain(`/deliveries/${id}`)
    expect(text).toMatch(/Exhausted 500 Internal Server Error/)
    expect(text).toMatch(/Retrying timed out .* [AP]M .* [AP]M 1/)
    expect(text).toMatch(/Delivered 204 No Content/)
    expect(text).not.toContain(unsequenced)
  })

  it('is filtered by state and type through links that can be bookmarked', async () => {
    const { as, list, ids } = await world([{ status: 204 }, EXHAUSTED])
    const failed = await as().get(`${list}?state=exhausted&type=order.paid`)
    expect(failed.html).toContain(ids[1])
    expect(failed.html).not.toContain(ids[0])
    expect((await as().get(`${list}?type=event.published`)).text).toContain('No matching deliveries')
  })

  it('is filtered by when the event was published, as the bars of the subscription’s chart ask', async () => {
    const { as, list, ids, subscription, publish, callboard, advance } = await world([{ status: 204 }])
    advance(2 * 3_600_000)
    const later = await publish()
    await attemptDeliveries(callboard)
    const chart = (await as().get(`/subscriptions/${subscription.id}`)).html
    const bars = [...chart.matchAll(/class="bar" href="\/dashboard([^"]+)"/g)].map(([, path = '']) => path)
    expect(bars).toHaveLength(2)
    const [first, second] = await Promise.all(bars.map((path) => as().get(path.replaceAll('&amp;', '&'))))
    expect([first?.html.includes(ids[0]!), first?.html.includes(later)]).toEqual([true, false])
    expect([second?.html.includes(ids[0]!), second?.html.includes(later)]).toEqual([false, true])
    expect((await as().get(`${list}?state=exhausted&from=2020-01-01T00:00`)).text).toContain('No matching deliveries')
  })

  it('refuses invalid filters, invalid cursors, and cursors created for other filters', async () => {
    const { as, list, ids } = await world(Array.from({ length: 26 }, () => ({ status: 204 })))
    const { html } = await as().get(list)
    expect(html).not.toContain(ids[0])
    const next = /rel="next" href="\?([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await as().get(`${list}?${next}`)).html).toContain(ids[0])
    for (const query of [
      `state=delivered&${next}`,
      'cursor=nonsense',
      'state=gone',
      'state=toString',
      'type=%00',
      'from=soon',
    ]) {
      const refused = await as().get(`${list}?${query}`)
      expect([refused.status, refused.html.includes(`href="/dashboard${list}"`)], query).toEqual([400, true])
    }
  })

  it('shows when each event occurred, and shows its subject only to viewers who may see events', async () => {
    const { as, list } = await world([{ status: 204 }])
    expect((await as().get(list)).text).toMatch(/order\.paid order ord_1 \w{3} \d+, \d{4}, [\d:]+ [AP]M Delivered 204/)
    const { html, text } = await as({ can: ['webhooks.read'] }).get(list)
    expect(text).not.toContain('ord_1')
    expect(html).toMatch(/<code>evt_/)
  })

  it('begins with deliveries that fail, and lists none of them twice', async () => {
    const { as, list, ids } = await world([EXHAUSTED, FAILED, { status: 204 }])
    const { html, text } = await as().get(list)
    expect(text).toMatch(
      /Failing deliveries Failing deliveries, latest attempt first .* Exhausted .* Newest deliveries .* Delivered/,
    )
    for (const id of ids) expect(html.split(`id="row-${id}"`)).toHaveLength(2)
    expect((await as().get(`${list}?state=delivered`)).text).not.toContain('Failing deliveries')
    const { as: other, list: healthy } = await world([{ status: 204 }])
    expect((await other().get(healthy)).text).not.toContain('Failing deliveries')
  })

  it('says what to expect when it is empty', async () => {
    const { as, list } = await world()
    expect((await as().get(list)).text).toContain('No deliveries yet When an event of type order.paid is published')
    expect((await as().get(`${list}?state=exhausted`)).text).toContain('No exhausted deliveries')
  })

  it('says what an id in the address is if it belongs to another kind of object, with a link to its page', async () => {
    const { as, hook, publish } = await openDashboard()
    const [{ id, confirmedBy }, event] = [await hook(), await publish()]
    const one = await as().get(`/subscriptions/${event}`)
    expect([one.status, one.text]).toEqual([
      404,
      expect.stringContaining('The ID in this address is that of an event.'),
    ])
    expect(one.html).toContain(`href="/dashboard/events/${event}">View event`)
    const two = await as().get(`/subscriptions/${id}/deliveries/${confirmedBy}`)
    expect(two.html).toContain(`href="/dashboard/keys/${confirmedBy}">View key`)
    const hidden = await as({ can: ['keys.read'] }).get(`/keys/${id}`)
    expect(hidden.text).toContain('The ID in this address is that of a subscription.')
    expect(hidden.html).not.toContain(`/subscriptions/${id}`)
  })

  it('responds with 404 to another account, and to a malformed or unknown id', async () => {
    const { as, list, at } = await world([EXHAUSTED])
    const other = as({ accountId: 'globex' })
    for (const path of [list, at(0)]) expect((await other.get(path)).status, path).toBe(404)
    expect((await other.post(`${at(0)}/resend`)).status).toBe(404)
    for (const path of [
      '/subscriptions/sub_1/deliveries',
      `${list}/evt_1`,
      `${list}/%00`,
      `${list}/${createId('evt')}`,
    ])
      expect((await as().get(path)).status, path).toBe(404)
    expect((await as().post(`${list}/evt_1/resend`)).status).toBe(404)
  })
})

describe('a delivery', () => {
  it('says what is wrong and what to do next', async () => {
    const { as, at } = await world([EXHAUSTED, FAILED, { status: 204 }])
    expect((await as().get(at(0))).text).toMatch(/The target returned 500 Internal Server Error\. .* Then resend it\./)
    expect((await as().get(at(1))).text).toMatch(/did not respond in time\. .* It will be retried automatically/)
    expect((await as().get(at(2))).text).toContain('The target returned 204 No Content.')
  })

  it('says that it can be retried now only to a viewer who can, and not while it waits for its subject', async () => {
    const { as, at } = await world([{ ...FAILED, waits: true }, FAILED])
    const retrying = await as().get(at(1))
    expect(retrying.text).toContain('It will be retried automatically. You can also retry it now.')
    expect((await as({ can: ['webhooks.read'] }).get(at(1))).text).not.toContain('You can also retry it now')
    const waiting = await as().get(at(0))
    expect(waiting.text).toContain('It is retried once the earlier events of its subject have been delivered')
    expect(waiting.text).not.toMatch(/retry it now|retried automatically|Retry now/)
  })

  it('says that a 410 disabled the subscription, and what to do before resending', async () => {
    const { as, at, callboard, subscription } = await world([{ outcome: 'gone', status: 410 }, { status: 204 }])
    await callboard.subscriptions.disable({ ...subscription, by: 'platform' })
    const { text } = await as().get(at(0))
    expect(text).toMatch(
      /returned 410 Gone, which disables the subscription\. Restore the target or use another: .*\. Then contact support to have the subscription enabled\. After that, resend it\./,
    )
  })

  it('shows the outcome, duration and response of each attempt as text', async () => {
    const { as, at, ids, callboard, subscription } = await world([FAILED])
    await callboard.deliveries.resend({ ...subscription, subscriptionId: subscription.id, eventId: ids[0]! })
    await attemptDeliveries(callboard, {
      [ids[0]!]: { outcome: 'failed', status: 502, response: HOSTILE, durationMs: 1_400 },
    })
    const { html, text } = await as().get(at(0))
    expect(text).toMatch(/Next attempt .* Attempt 2: 502 Bad Gateway .*took 1\.4s .* Attempt 1: timed out .*took 120ms/)
    expect(text).toContain(HOSTILE)
    expect(html.replace(/<script type="module"/g, '')).not.toContain('<script')
  })

  it('hides responses and personal data from viewers without permission, and says so', async () => {
    const { as, at } = await world([EXHAUSTED], { scopes: ['webhooks.read', 'webhooks.write', 'people.read'] })
    const seen = await as().get(at(0))
    expect(seen.text).toContain('ada@example.com')
    expect(seen.text).toContain('oh no')
    const hidden = await as({ can: ['webhooks.read', 'events.read'] }).get(at(0))
    expect(hidden.text).not.toContain('ada@example.com')
    expect(hidden.text).not.toContain('oh no')
    expect(hidden.text).toContain('hidden here: you do not have permission to see it')
    expect(hidden.text).toContain('The response is hidden')
    const bodiless = await as({ can: ['webhooks.read', 'people.read'] }).get(at(0))
    expect(bodiless.text).not.toContain('ord_1')
    expect(bodiless.text).toContain('you do not have permission to see events')
  })

  it('shows the body that the subscription receives, and says why personal data is missing', async () => {
    const { as, at } = await world([EXHAUSTED])
    const { text } = await as().get(at(0))
    expect(text).not.toContain('ada@example.com')
    expect(text).toContain('not sent: the API key of this subscription does not have the scope people.read')
  })

  it('can be resent with one button, after which the page reports the outcome', async () => {
    const { as, at, ids, callboard, subscription } = await world([EXHAUSTED, FAILED])
    for (const [index, done, words] of [
      [0, 'scheduled', 'The delivery was queued to be resent'],
      [1, 'hastened', 'The next attempt was brought forward.'],
    ] as const) {
      const page = await as().get(at(index))
      expect(page.html).toContain(`action="/dashboard${at(index)}/resend"`)
      const { status, location } = await as().post(`${at(index)}/resend`)
      expect([status, location]).toEqual([303, `/dashboard${at(index)}?done=${done}`])
      expect((await as().get(`${at(index)}?done=${done}`)).text).toContain(words)
    }
    expect(
      await callboard.deliveries.find({ ...subscription, subscriptionId: subscription.id, eventId: ids[0]! }),
    ).toMatchObject({ state: 'pending' })
  })

  it('is shown after an attempt that ends while the page is being read, as is its subscription', async () => {
    const { as, at, callboard, subscription, advance } = await world([FAILED])
    await as().post(`${at(0)}/resend`)
    const { deliveryLog } = engineOf(callboard).store
    const { attempts } = deliveryLog
    const inBetween = (end: AttemptEnd): object =>
      Object.assign(deliveryLog, {
        attempts: async (...query: Parameters<typeof attempts>) => {
          Object.assign(deliveryLog, { attempts })
          advance(1_000)
          await attemptDeliveries(callboard, {}, end)
          return attempts(...query)
        },
      })
    inBetween({ status: 200 })
    const delivered = await as().get(at(0))
    expect(delivered.text).toMatch(/Delivered .*The target returned 200 OK\. .*Attempt 2: 200 OK/)
    expect(delivered.text).not.toMatch(/Retrying|due now/)
    await as().post(`${at(0)}/resend`)
    inBetween({ outcome: 'exhausted', status: 500 })
    const { text } = await as().get(`/subscriptions/${subscription.id}`)
    expect(text).toMatch(/Failing .*The target returned 500 Internal Server Error\. No delivery has succeeded/)
  })

  it('cannot be resent while its subscription is disabled, and says what to do first', async () => {
    const { as, at, callboard, subscription } = await world([EXHAUSTED])
    await callboard.subscriptions.disable({ ...subscription, by: 'platform' })
    const page = await as().get(at(0))
    expect(page.html).not.toContain(`${at(0)}/resend`)
    expect(page.text).toContain('Then contact support to have the subscription enabled. After that, resend it.')
    const refused = await as().post(`${at(0)}/resend`)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('Contact support to have the subscription enabled. Then resend the delivery.')
  })

  it('is shown as due now after a resend has brought its retry forward, and says why it waits nevertheless', async () => {
    const { as, at, list, callboard } = await world([FAILED])
    const heldBack = [{ host: 'hooks.zapier.com', limit: 4, reason: 'full', lanes: 1 }] as const
    const details = { waiting: { lanes: 1, accounts: 1 }, heldBack }
    await engineOf(callboard).store.deliveries.attend({ id: 'w', name: 'w', details })
    expect((await as().get(at(0))).text).not.toContain('Held back')
    await as().post(`${at(0)}/resend`)
    expect((await as().get(list)).text).toContain('due now')
    const { text } = await as().get(at(0))
    expect(text).toContain('Next attempt is due now')
    expect(text).toContain('retry it now. Held back: the target gets at most 4 requests at a time.')
  })

  it('cannot be resent after its event has expired, and says so', async () => {
    const { as, at, advance, callboard } = await world([EXHAUSTED])
    advance(callboard.retention.horizons.eventsMs + 86_400_000)
    await callboard.retention.run()
    const { status, text } = await as().post(`${at(0)}/resend`)
    expect([status, text.includes('The event has expired')]).toEqual([409, true])
    expect((await as().get(at(0))).status).toBe(404)
  })

  it('cannot be resent by a viewer without permission, nor by a request from another site', async () => {
    const { as, at, ids, callboard, subscription } = await world([EXHAUSTED])
    const reader = as({ can: ['webhooks.read', 'events.read', 'people.read'] })
    expect((await reader.get(at(0))).html).not.toContain('/resend')
    expect((await reader.post(`${at(0)}/resend`)).status).toBe(403)
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as const)
      expect((await as().post(`${at(0)}/resend`, {}, headers)).status).toBe(403)
    expect((await as().get(`${at(0)}/resend`)).status).toBe(404)
    expect(
      await callboard.deliveries.find({ ...subscription, subscriptionId: subscription.id, eventId: ids[0]! }),
    ).toMatchObject({ state: 'exhausted' })
  })

  it('say until when the subscription is paused, and that a retry is due once somebody asks for it', async () => {
    const { as, callboard, hook, publish } = await openDashboard()
    const { id } = await hook()
    const [failed, waiting] = [await publish(), await publish()]
    const page = (event: string) => `/subscriptions/${id}/deliveries/${event}`
    await attemptDeliveries(
      callboard,
      { [failed]: { outcome: 'failed', status: 500 }, [waiting]: { outcome: 'failed', status: 500, number: 0 } },
      {},
      { pauseMs: 900_000 },
    )
    const { pausedUntil } = (await callboard.subscriptions.health({ accountId: 'acme', id }))?.health ?? {}
    const until = `datetime="${pausedUntil?.toISOString()}"`
    for (const path of [page(failed), page(waiting), `/subscriptions/${id}/deliveries`, `/events/${failed}`]) {
      const { text, html } = await as().get(path)
      expect(html).toContain(until)
      expect(text).toMatch(/at the earliest/)
      expect(text).not.toContain('due now')
    }
    for (const event of [failed, waiting])
      expect((await as().get(page(event))).text).toMatch(/The subscription is paused until Nov|paused until \w+ \d/)
    await as().post(`${page(failed)}/resend`)
    const { text } = await as().get(page(failed))
    expect(text).toContain('Next attempt is due now')
    expect(text).not.toContain('paused until')
  })

  it('number the attempts through over resends, and say who resent', async () => {
    const { as, callboard, hook, publish, advance } = await openDashboard()
    const { id } = await hook()
    const event = await publish()
    const page = `/subscriptions/${id}/deliveries/${event}`
    await attemptDeliveries(callboard, {}, { outcome: 'exhausted', status: 500 })
    const ada = as({ id: 'usr_7' })
    await ada.post(`${page}/resend`)
    const queued = await ada.get(page)
    expect(queued.text).toContain('It was resent, and waits for the first attempt of its new schedule.')
    expect(queued.text).not.toContain('still waits for its first attempt')
    advance(1_000)
    await attemptDeliveries(callboard, {}, { outcome: 'exhausted', status: 503 })
    const resentBy7 = /Attempt 2: 503 Service Unavailable .* Resent by usr_7 .* Attempt 1: 500 Internal Server Error/
    expect((await ada.get(page)).text).toMatch(resentBy7)
    const blind = as({ can: ['webhooks.read'] })
    const { text } = await blind.get(page)
    expect(text).toMatch(/Attempt 2: .* Resent .*Attempt 1: /)
    expect(text).not.toContain('usr_7')
  })

  it('name who resent the delivery itself, and not who resent others while it waited', async () => {
    const { as, callboard, hook, publish, advance } = await openDashboard()
    const { id } = await hook()
    const event = await publish()
    advance(1_000)
    const from = new Date(engineOf(callboard).now())
    await publish({ id: 'ord_2' })
    await attemptDeliveries(callboard, {}, { outcome: 'exhausted', status: 500 })
    advance(1_000)
    const page = `/subscriptions/${id}/deliveries/${event}`
    await as({ id: 'usr_7' }).post(`${page}/resend`)
    advance(1_000)
    const other = callboard.as({ type: 'viewer', id: 'usr_8' })
    const range = { accountId: 'acme', subscriptionId: id, from, states: ['exhausted'] } as const
    expect(await other.deliveries.resendRange(range)).toMatchObject({ resent: 1 })
    advance(1_000)
    await attemptDeliveries(callboard)
    expect((await as().get(page)).text).toContain('Resent by usr_7')
  })
})
