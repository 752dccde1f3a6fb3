import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { type Tried, tryDeliveries } from '../../../../test/try-deliveries.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`

/** A subscription of `acme`, to which events were published and tried. */
async function world(
  ends: readonly Tried[] = [],
  key: Parameters<Awaited<ReturnType<typeof openDashboard>>['hook']>[1] = {},
) {
  const opened = await openDashboard()
  const { callboard, hook, publish } = opened
  const subscription = await hook({}, key)
  const ids: string[] = []
  for (const _ of ends) ids.push(await publish())
  await tryDeliveries(callboard, Object.fromEntries(ids.map((id, index) => [id, ends[index] ?? {}])))
  const list = `/subscriptions/${subscription.id}/deliveries`
  return {
    ...opened,
    subscription,
    ids,
    list,
    at: (index: number) => `${list}/${ids[index]}`,
  }
}

const FAILED: Tried = { outcome: 'failed', status: undefined, reason: 'timeout' }
const EXHAUSTED: Tried = { outcome: 'exhausted', status: 500, number: 10, response: 'oh no' }

describe('the deliveries of a subscription', () => {
  it('tell how each stands, what came of its last attempt, and when it is tried next', async () => {
    const { as, list, ids, publish } = await world([{ status: 204 }, FAILED, EXHAUSTED])
    const waiting = await publish()
    const { status, text } = await as().get(list)
    expect(status).toBe(200)
    for (const id of ids) expect(text).toContain(id)
    expect(text).toMatch(/Failed 500 Internal Server Error/)
    expect(text).toMatch(/Retrying timed out .* UTC .* UTC 1/)
    expect(text).toMatch(/Delivered 204 No Content/)
    expect(text).not.toContain(waiting)
  })

  it('are narrowed to one state and one type by links that can be kept', async () => {
    const { as, list, ids } = await world([{ status: 204 }, EXHAUSTED])
    const failed = await as().get(`${list}?state=exhausted&type=order.paid`)
    expect(failed.text).toContain(ids[1])
    expect(failed.text).not.toContain(ids[0])
    expect((await as().get(`${list}?type=event.published`)).text).toContain('No such deliveries')
  })

  it('go on by cursors of their own list alone', async () => {
    const { as, list, ids } = await world(Array.from({ length: 26 }, () => ({ status: 204 })))
    const { html, text } = await as().get(list)
    expect(text).not.toContain(ids[0])
    const next = /rel="next" href="\?([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await as().get(`${list}?${next}`)).text).toContain(ids[0])
    for (const query of [`state=delivered&${next}`, 'cursor=nonsense', 'state=gone', 'state=toString', 'type=%00']) {
      const refused = await as().get(`${list}?${query}`)
      expect([refused.status, refused.html.includes(`href="/dashboard${list}"`)], query).toEqual([400, true])
    }
  })

  it('say what to do next where there are none', async () => {
    const { as, list } = await world()
    expect((await as().get(list)).text).toContain('No deliveries yet As soon as an event of order.paid happens')
    expect((await as().get(`${list}?state=exhausted`)).text).toContain('Nothing has failed')
  })

  it('are not there for another account, nor where the id is none', async () => {
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
  it('says what is wrong and what to do next, in one sentence each', async () => {
    const { as, at } = await world([EXHAUSTED, FAILED, { status: 204 }])
    expect((await as().get(at(0))).text).toMatch(
      /Your endpoint answered 500 Internal Server Error\. .* Then send it again\./,
    )
    expect((await as().get(at(1))).text).toMatch(/did not answer in time\. .* It is tried again by itself/)
    expect((await as().get(at(2))).text).toContain('Your endpoint answered 204 No Content.')
  })

  it('that ended with its subscription says what ended it, and what to do first', async () => {
    const { as, at, callboard, subscription } = await world([{ outcome: 'gone', status: 410 }, { status: 204 }])
    await callboard.subscriptions.disable(subscription, { by: 'platform' })
    const { text } = await as().get(at(0))
    expect(text).toMatch(
      /answered 410 Gone, which disables a subscription\. Bring the address back or change it: .*\. Then contact the platform to have the subscription enabled\. After that, send it again\./,
    )
  })

  it('shows each attempt with what came of it, how long it took, and the answer as text', async () => {
    const { as, at, ids, callboard, subscription } = await world([FAILED])
    await callboard.deliveries.resend(subscription, ids[0]!)
    await tryDeliveries(callboard, {
      [ids[0]!]: { outcome: 'failed', status: 502, response: HOSTILE, durationMs: 1_400 },
    })
    const { html, text } = await as().get(at(0))
    expect(text).toMatch(/Next try .* Attempt 2: 502 Bad Gateway .*took 1\.4s .* Attempt 1: timed out .*took 120ms/)
    expect(text).toContain(HOSTILE)
    expect(html.replace(/<script type="module"/g, '')).not.toContain('<script')
  })

  it('hides answers and personal data from whom they are not for, and says so', async () => {
    const { as, at } = await world([EXHAUSTED], { scopes: ['webhooks.read', 'webhooks.write', 'people.read'] })
    const seen = await as().get(at(0))
    expect(seen.text).toContain('ada@example.com')
    expect(seen.text).toContain('oh no')
    const hidden = await as({ can: ['webhooks.read', 'events.read'] }).get(at(0))
    expect(hidden.text).not.toContain('ada@example.com')
    expect(hidden.text).not.toContain('oh no')
    expect(hidden.text).toContain('hidden here: your sign-in does not include it')
    expect(hidden.text).toContain('The response is hidden')
    const bodiless = await as({ can: ['webhooks.read', 'people.read'] }).get(at(0))
    expect(bodiless.text).not.toContain('ord_1')
    expect(bodiless.text).toContain('your sign-in does not include events')
  })

  it('shows the body as this subscription is sent it, and why without personal data', async () => {
    const { as, at } = await world([EXHAUSTED])
    const { text } = await as().get(at(0))
    expect(text).not.toContain('ada@example.com')
    expect(text).toContain('left out: the API key of this subscription does not have the scope people.read')
  })

  it('is sent again by one button, and says what that came to', async () => {
    const { as, at, ids, callboard, subscription } = await world([EXHAUSTED, FAILED])
    for (const [index, done, words] of [
      [0, 'scheduled', 'sent again now'],
      [1, 'hastened', 'next try is made now'],
    ] as const) {
      const page = await as().get(at(index))
      expect(page.html).toContain(`action="/dashboard${at(index)}/resend"`)
      const { status, location } = await as().post(`${at(index)}/resend`)
      expect([status, location]).toEqual([303, `/dashboard${at(index)}?done=${done}`])
      expect((await as().get(`${at(index)}?done=${done}`)).text).toContain(words)
    }
    expect(await callboard.deliveries.find(subscription, ids[0]!)).toMatchObject({ state: 'pending' })
  })

  it('cannot be sent again while its subscription is disabled, and says what to do first', async () => {
    const { as, at, callboard, subscription } = await world([EXHAUSTED])
    await callboard.subscriptions.disable(subscription, { by: 'platform' })
    const page = await as().get(at(0))
    expect(page.html).not.toContain(`${at(0)}/resend`)
    expect(page.text).toContain(
      'Then contact the platform to have the subscription enabled. After that, send it again.',
    )
    const refused = await as().post(`${at(0)}/resend`)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain(
      'Contact the platform to have the subscription enabled. Then send the delivery again.',
    )
  })

  it('that was hastened is shown as due until it is tried', async () => {
    const { as, at, list } = await world([FAILED])
    await as().post(`${at(0)}/resend`)
    expect((await as().get(list)).text).toContain('due now')
    expect((await as().get(at(0))).text).toContain('Next try is due now')
  })

  it('cannot be sent again once its event is gone, and says so', async () => {
    const { as, at, advance, callboard } = await world([EXHAUSTED])
    advance(callboard.retention.horizons.eventsMs + 86_400_000)
    await callboard.retention.run()
    const { status, text } = await as().post(`${at(0)}/resend`)
    expect([status, text.includes('The event has been removed')]).toEqual([409, true])
    expect((await as().get(at(0))).status).toBe(404)
  })

  it('is sent again by nobody without permission, nor by another site', async () => {
    const { as, at, ids, callboard, subscription } = await world([EXHAUSTED])
    const reader = as({ can: ['webhooks.read', 'events.read', 'people.read'] })
    expect((await reader.get(at(0))).html).not.toContain('/resend')
    expect((await reader.post(`${at(0)}/resend`)).status).toBe(403)
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as const)
      expect((await as().post(`${at(0)}/resend`, {}, headers)).status).toBe(403)
    expect((await as().get(`${at(0)}/resend`)).status).toBe(404)
    expect(await callboard.deliveries.find(subscription, ids[0]!)).toMatchObject({ state: 'exhausted' })
  })
})
