import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { type DashboardWorld, openDashboard } from '../../../../test/dashboard-world.ts'

const JSON_PLEASE = { 'sec-fetch-site': 'same-origin', accept: 'application/json' }
const FAILED_TODAY = { since: 'day', state: 'exhausted' }

/** Creates a subscription with `count` exhausted deliveries. Resending more than 500 of them takes several steps. */
async function failed(count: number) {
  const world = await openDashboard()
  const subscription = await world.hook()
  for (let published = 0; published < count; published++) await world.publish()
  await fail(world)
  const path = `/subscriptions/${subscription.id}/resend`
  const states = async (state: 'exhausted' | 'pending'): Promise<number> => {
    const { deliveries } = await world.callboard.deliveries.list({
      ...subscription,
      subscriptionId: subscription.id,
      state,
      limit: 100,
    })
    return deliveries.length
  }
  return { ...world, subscription, path, states }
}

/** Attempts all due deliveries, and each becomes `exhausted`. */
async function fail({ callboard }: Pick<DashboardWorld, 'callboard'>): Promise<void> {
  await attemptDeliveries(callboard, {}, { outcome: 'exhausted', status: 500, number: 10 })
}

/** The fields with which the page resends the deliveries that it has counted. */
function hiddenFields(html: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {}
  for (const [, name = '', value = ''] of html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g))
    fields[name] = [...(fields[name] ?? []), value]
  return fields
}

describe('resending deliveries', () => {
  it('brings forward the next attempt of deliveries that are still retrying', async () => {
    const { as, path, callboard, publish, subscription } = await failed(1)
    await publish()
    await attemptDeliveries(callboard, {}, { outcome: 'failed', status: 500 })
    const failing = { since: 'day', state: ['exhausted', 'retrying'] }
    expect((await as().post(path, failing)).text).toContain('2 deliveries are being resent.')
    expect((await as().post(path, failing)).text).toContain('1 delivery is due or not attempted yet')
    await attemptDeliveries(callboard)
    expect(
      (await callboard.deliveries.list({ ...subscription, subscriptionId: subscription.id, state: 'delivered' }))
        .deliveries,
    ).toHaveLength(2)
  })

  it('offers a choice of times and states, and preselects the last day and all states except `skipped`', async () => {
    const { as, path } = await failed(0)
    const { html, text } = await as().get(path)
    for (const said of [
      'In the last hour',
      'In the last 24 hours',
      'In the last 7 days',
      'Since a specific time',
      'Exhausted',
      'Skipped',
      'Disabled',
    ])
      expect(text).toContain(said)
    expect(html).toMatch(/<input type="radio"[^>]*value="day"[^>]*checked/)
    for (const state of ['pending', 'retrying', 'exhausted', 'disabled'])
      expect(html).toMatch(new RegExp(`<input type="checkbox"[^>]*value="${state}"[^>]*checked`))
    expect(html).not.toMatch(/<input type="checkbox"[^>]*value="skipped"[^>]*checked/)
  })

  it('says how many deliveries are about to be resent, and then resends exactly these', async () => {
    const { as, path, states, publish, callboard, advance } = await failed(3)
    await publish()
    await engineOf(callboard).store.deliveries.sequence(10)
    advance(50 * 60_000)
    const counted = await as().get(`${path}?since=hour&state=exhausted&state=pending&count=on`)
    expect(counted.text).toContain('About to resend 3 deliveries')
    expect(counted.text).toContain('1 delivery is due or not attempted yet, and will be sent anyway.')
    expect(counted.html).toMatch(/<form[^>]*data-steps="next"/)
    expect([await states('exhausted'), await states('pending')]).toEqual([3, 1])
    // However long the viewer thinks about it.
    advance(50 * 60_000)
    expect((await as().post(path, hiddenFields(counted.html))).text).toContain('3 deliveries are being resent.')
    expect((await as().get(`${path}?since=day&state=exhausted&count=on`)).text).toContain('There is nothing to resend')
    expect((await callboard.audit.list({ accountId: 'acme' })).entries[0]?.action).toBe('deliveries.resent')
  })

  it('offers to resend nothing if there is nothing, and leads back to the choices', async () => {
    const { as, path } = await failed(1)
    const { html, text } = await as().get(`${path}?since=week&state=skipped&count=on`)
    expect([text.includes('There is nothing to resend'), html.includes('method="post"')]).toEqual([true, false])
    expect(html).toContain(`href="/dashboard${path}?since=week&amp;state=skipped"`)
    const choices = await as().get(`${path}?since=week&state=skipped`)
    expect(choices.html).toMatch(/<input type="radio"[^>]*value="week"[^>]*checked/)
    expect(choices.html).toMatch(/<input type="checkbox"[^>]*value="skipped"[^>]*checked/)
    expect((await as().get(`${path}?since=week&count=on`)).text).toContain('Choose at least one state.')
  })

  it('counts more deliveries than one step of the count looks at', async () => {
    const { as, path, callboard, subscription, publish } = await failed(0)
    for (let events = 0; events < 1001; events++) await publish()
    await engineOf(callboard).store.deliveries.sequence(1001)
    await callboard.subscriptions.skipToNow(subscription)
    const { text } = await as().get(`${path}?since=day&state=skipped&count=on`)
    expect(text).toContain('About to resend 1,001 deliveries')
  })

  it('says before it resends anything what will become of it', async () => {
    const { as, path, callboard, publish, advance } = await failed(0)
    const ahead = async () => {
      const pages = [await as().get(path), await as().get(`${path}?since=day&state=exhausted&count=on`)]
      const [before, counted] = pages.map(({ text }) => text.slice(0, text.search(/Published|About|There is/)))
      expect(counted).toBe(before)
      return before
    }
    expect(await ahead()).not.toContain('deliveries that you resend')
    await publish()
    await attemptDeliveries(callboard, {}, { outcome: 'failed', status: 500 }, { pauseMs: 60_000 })
    expect(await ahead()).toMatch(
      /The subscription is paused until .*, because its target keeps failing\. If you resend deliveries, one is attempted now\./,
    )
    await publish()
    await engineOf(callboard).store.deliveries.sequence(10)
    const waiting = (await as().get(`${path}?since=day&state=pending&count=on`)).text
    expect(waiting).toMatch(/About to attempt one of the waiting deliveries 1 delivery is due/)
    advance(60_001)
    expect((await as().get(`${path}?since=day&state=pending&count=on`)).html).not.toContain('data-steps')
    expect(await ahead()).toMatch(
      /The target returned 500 .* Until the target is fixed, deliveries that you resend fail/,
    )
    advance(300_000)
    await attemptDeliveries(callboard)
    await publish()
    await engineOf(callboard).store.deliveries.sequence(10)
    advance(60_000)
    expect(await ahead()).toMatch(/has waited 1 minute, .* Deliveries that you resend wait for their turn, too\./)
  })

  it('says that the key of a subscription has expired, before a worker disables the subscription', async () => {
    const { as, hook, callboard, advance } = await openDashboard()
    const { id } = await hook({}, { expiresAt: new Date(engineOf(callboard).now() + 60_000) })
    expect((await as().get(`/subscriptions/${id}/resend`)).text).not.toContain('API key was revoked')
    advance(60_001)
    const { text } = await as().get(`/subscriptions/${id}/resend`)
    expect(text).toContain('API key was revoked or has expired, so nothing is delivered. Give Zapier another API key')
  })

  it('resends each chosen delivery once, and says how many are being resent', async () => {
    const { as, path, states } = await failed(3)
    expect((await as().post(path, FAILED_TODAY)).text).toContain('3 deliveries are being resent.')
    expect(await states('pending')).toBe(3)
    expect((await as().post(path, FAILED_TODAY)).text).toContain('There was nothing to resend.')
  })

  it('continues step by step without JavaScript, and resends nothing twice if it is restarted', async () => {
    const { as, path, states, callboard } = await failed(510)
    const first = await as().post(path, FAILED_TODAY)
    expect(first.text).toContain('500 resent')
    const next = /name="next" value="([^"]+)"/.exec(first.html)?.[1] ?? ''
    expect((await as().post(path, { next })).text).toContain('510 deliveries are being resent.')
    expect((await as().post(path, { next })).text).not.toContain('Continue')
    await attemptDeliveries(callboard)
    expect((await as().post(path, FAILED_TODAY)).text).toContain('0 resent')
    expect(await states('exhausted')).toBe(0)
  })

  it('tells the script the outcome of a step, and where the next step continues', async () => {
    const { as, path } = await failed(510)
    const step = async (fields: Record<string, string>) => JSON.parse((await as().post(path, fields, JSON_PLEASE)).html)
    const first = await step(FAILED_TODAY)
    expect(first).toEqual({ soFar: expect.stringMatching(/^500 resent, up to \d/), next: expect.any(String) })
    expect(await step({ ...FAILED_TODAY, next: first.next })).toEqual({
      soFar: '510 deliveries are being resent.',
      next: null,
    })
  })

  it('starts again from the beginning if the viewer has changed the choices', async () => {
    const { as, path } = await failed(510)
    const step = async (fields: Record<string, string>) => JSON.parse((await as().post(path, fields, JSON_PLEASE)).html)
    const { next } = await step({ since: 'hour', state: 'skipped' })
    const { next: other } = await step({ since: 'hour', state: 'exhausted', next })
    expect(await step({ since: 'day', state: 'exhausted', next: other })).toMatchObject({
      soFar: expect.stringMatching(/^0 resent/),
    })
  })

  it('accepts a specific start time, which must be in the past', async () => {
    const { as, path, callboard } = await failed(2)
    const minutes = (ago: number) => new Date(engineOf(callboard).now() - ago * 60_000).toISOString().slice(0, 16)
    expect((await as().post(path, { since: 'time', at: minutes(5), state: 'exhausted' })).text).toContain(
      '2 deliveries',
    )
    const far = { since: 'time', at: minutes(5), zone: 'Pacific/Kiritimati', state: 'pending' }
    expect((await as().post(path, far)).text, '14 hours earlier').toContain('2 deliveries')
    expect((await as().post(path, { ...far, zone: 'America/Los_Angeles' })).status, 'still to come').toBe(400)
    for (const at of ['', 'yesterday', '2999-01-01T00:00', '0000-00-00T00:00']) {
      const { status, text } = await as().post(path, { since: 'time', at, state: 'exhausted' })
      expect([status, text.includes('Enter a time in the past.')], at).toEqual([400, true])
    }
  })

  it('keeps the choices when the form has to be corrected', async () => {
    const { as, path } = await failed(1)
    const { status, html, text } = await as().post(path, { since: 'week' })
    expect([status, text.includes('Choose at least one state.')]).toEqual([400, true])
    expect(html).toMatch(/<input type="radio"[^>]*value="week"[^>]*checked/)
  })

  it('refuses an unreadable `next`, and offers to start again', async () => {
    const { as, path, states } = await failed(1)
    for (const next of [
      'x',
      '1.2.day.exhausted.0.',
      '1.2.day.exhausted.0.nonsense',
      '1.2.day..0.abc',
      '9'.repeat(400),
    ]) {
      const page = await as().post(path, { next })
      expect([page.status, page.html.includes('name="since"')], next).toEqual([400, true])
      expect((await as().post(path, { next }, JSON_PLEASE)).status).toBe(400)
    }
    expect(await states('exhausted')).toBe(1)
  })

  it('is refused while the subscription is disabled, and the page says what to do first', async () => {
    const { as, path, callboard, subscription } = await failed(1)
    await callboard.subscriptions.disable({ ...subscription, by: 'platform' })
    expect((await as().get(path)).text).toContain(
      'Contact support to have the subscription enabled. Missed deliveries can then be resent.',
    )
    expect((await as().post(path, FAILED_TODAY)).status).toBe(409)
    const refused = await as().post(path, FAILED_TODAY, JSON_PLEASE)
    expect([refused.status, JSON.parse(refused.html)]).toEqual([
      409,
      { message: 'The subscription is disabled. Its page shows how to enable it.' },
    ])
  })

  it('is refused to another account, to viewers without permission, and to requests from another site', async () => {
    const { as, path, states } = await failed(1)
    expect((await as({ accountId: 'globex' }).get(path)).status).toBe(404)
    expect((await as({ accountId: 'globex' }).post(path, FAILED_TODAY)).status).toBe(404)
    const reader = as({ can: ['webhooks.read'] })
    expect((await reader.get(path)).status).toBe(403)
    expect((await reader.post(path, FAILED_TODAY)).status).toBe(403)
    expect((await as().post(path, FAILED_TODAY, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await as().post(path, FAILED_TODAY, {})).status).toBe(403)
    expect(await states('exhausted')).toBe(1)
  })
})
