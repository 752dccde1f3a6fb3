import { engineOf } from '@callboard/core/engine'
import { FAILING_RULE } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { disableFor } from '../../../../test/disable-for.ts'
import { german } from '../../../german.ts'
import { createDashboard } from '../../create-dashboard.ts'

const FAILED = { outcome: 'failed', status: 502, durationMs: 900 } as const

const NOTHING_SENT = {
  ...{ attempts: [], retries: [], ended: [], subjects: [] },
  ...{
    breakerFailures: 0,
    succeeded: false,
    failedAttempts: 0,
    slow: false,
    pauseMs: 0,
    disable: undefined,
    keep: false,
  },
}

const OWN = {
  accountId: 'acme',
  targetUrl: 'https://own.example/',
  eventTypes: ['order.paid'],
  personalData: false,
}

describe('the overview', () => {
  it('shows how deliveries went across all subscriptions', async () => {
    const { as, hook, publish, callboard } = await openDashboard()
    await hook()
    await hook({ targetUrl: 'https://other.example/orders' })
    for (let events = 0; events < 3; events++) await publish()
    await attemptDeliveries(callboard)
    const { text, html } = await as().get('/overview')
    expect(text).toContain('Delivered 6 100% of attempts succeeded')
    expect(text).toContain('Failed attempts 0')
    expect(text).toContain('Average time an attempt took 120ms')
    expect(text).toContain('Waiting 0 Nothing is waiting.')
    expect(text).toContain('Failing 0 of 2 subscriptions')
    expect(text).toMatch(/Nothing needs attention .* No failures .* Slowest targets/)
    expect(html).toContain('Last 24 hours: 3 succeeded, 0 failed')
    expect(text).toContain('Peak: 6 an hour')
  })

  it('shows what fails, what waits, the newest failures and the slowest targets', async () => {
    const { as, hook, publish, callboard, advance } = await openDashboard()
    const { id } = await hook({ targetUrl: 'https://hooks.example.com/orders' })
    const event = await publish({ id: 'ord_77' })
    await attemptDeliveries(callboard, {}, FAILED)
    await publish()
    await publish()
    advance(180_000)
    const { text, html } = await as().get('/overview')
    expect(html).toContain('<title>Overview (1 needs attention) · Webhooks</title>')
    expect(text).toContain('Failed attempts 1')
    expect(text).toMatch(/Waiting 1 0 pending, 1 retrying/)
    expect(text).toContain('Failing 1 of 1 subscription')
    expect(text).toMatch(
      /Needs attention .*hooks\.example\.com\/orders The target returned 502 Bad Gateway\. No delivery .* for 3 minutes\. .* Failing Retry now/,
    )
    expect(text).toMatch(/Newest failures .* order\.paid order ord_77 hooks\.example\.com\/orders 502 Bad Gateway/)
    expect(html).toContain(`href="/dashboard/subscriptions/${id}/deliveries/${event}"`)
    // The failures are in the order in which they ended, so that is their time.
    const [last] = (await callboard.deliveries.attempts({ accountId: 'acme', subscriptionId: id })).attempts
    expect(html).toContain(`datetime="${new Date(last!.startedAt.getTime() + 900).toISOString()}"`)
    expect(html).toContain('href="/dashboard/subscriptions?state=failing"')
    expect(text).toMatch(
      /Slowest targets .*hooks\.example\.com\/orders 900ms 1 No target has had 10 attempts in this time/,
    )
  })

  it('counts all that need attention, also those it does not show', async () => {
    const { as, hook, publish, callboard } = await openDashboard()
    for (let one = 0; one < 12; one++) await hook({ targetUrl: `https://t${one}.example/` })
    await publish()
    // Each call attempts ten.
    for (let call = 0; call < 2; call++) await attemptDeliveries(callboard, {}, FAILED)
    const { text, html } = await as().get('/overview')
    expect(html).toContain('<title>Overview (12 need attention) · Webhooks</title>')
    expect(text).toMatch(/Needs attention \(10 of 12\) Show failing subscriptions/)
  })

  it('shows what fails, however many subscriptions were disabled', async () => {
    const { as, hook, publish, callboard, advance } = await openDashboard()
    await hook({ targetUrl: 'https://failing.example/' })
    await publish()
    await attemptDeliveries(callboard, {}, FAILED)
    for (let one = 0; one < 101; one++) {
      // Within the limit of new subscriptions a minute.
      if (one % 50 === 0) advance(60_001)
      const targetUrl = `https://t${one}.example/`
      await disableFor(callboard, await callboard.subscriptions.create({ ...OWN, targetUrl }), 'platform')
    }
    const { text, html } = await as().get('/overview')
    expect(html).toContain('<title>Overview (102 need attention) · Webhooks</title>')
    expect(text).toMatch(/Needs attention \(11 of 102\) .* failing\.example .* Failing Retry now/)
  })

  it('lists what needs attention, the worst first, each with its reason and what to do', async () => {
    const { as, hook, publish, callboard, advance } = await openDashboard()
    const at = (name: string) => hook({ targetUrl: `https://${name}.example/` })
    const [gone, stopped] = [await at('gone'), await at('stopped')]
    const own = await callboard.subscriptions.create(OWN)
    await at('paused')
    await publish()
    await attemptDeliveries(callboard, {}, FAILED, { pauseMs: 900_000 })
    await disableFor(callboard, gone, 'gone')
    await disableFor(callboard, stopped, 'platform')
    await callboard.subscriptions.disable({ accountId: 'acme', id: own.id, by: 'account' })
    await at('failing')
    await publish()
    await attemptDeliveries(callboard, {}, FAILED)
    await at('late')
    await publish()
    await engineOf(callboard).store.deliveries.sequence(10)
    advance(120_000)
    const { text, html } = await as().get('/overview')
    const card = text.slice(text.indexOf('Needs attention'), text.indexOf('Delivered 0'))
    expect(card).toMatch(
      /stopped\.example The platform disabled .* Disabled .*gone\.example The target returned 410 Gone.* Disabled .*paused\.example .* Paused Retry now .*failing\.example .* Failing Retry now .*late\.example The oldest delivery has waited 2 minutes, because we have not got to it yet\. .* Behind/,
    )
    // The account disabled this one itself.
    expect(card).not.toContain('own.example')
    expect(html).toContain('href="/dashboard/subscriptions?state=disabled">3 disabled</a>')
    expect((await as({ can: ['webhooks.read'] }).get('/overview')).text).not.toContain('Retry now')
  })

  it('offers to enable a subscription that the account may enable', async () => {
    const { as, callboard } = await openDashboard()
    const { id } = await callboard.subscriptions.create(OWN)
    await disableFor(callboard, { accountId: 'acme', mode: 'live', id }, 'failing')
    expect((await as().get('/overview')).html).toContain(`action="/dashboard/subscriptions/${id}/enable"`)
    await as().post(`/subscriptions/${id}/enable`)
    expect((await as().get('/overview')).text).toContain('Nothing needs attention')
  })

  it('tells a slow target apart from workers that do not keep up', async () => {
    const { as, hook, publish, callboard, advance } = await openDashboard()
    const { id } = await hook()
    await publish()
    await attemptDeliveries(callboard, {}, { status: 204, durationMs: 9_000 })
    const waiting = await publish()
    const { deliveries } = engineOf(callboard).store
    await deliveries.sequence(10)
    const overview = async () => (await as().get('/overview')).text
    // Far from the 30 seconds after which a delivery is late, because the clock also counts the time of the test itself.
    advance(20_000)
    expect((await as().get(`/subscriptions/${id}`)).text).toMatch(/Active .*Lag none/)
    advance(20_000)
    expect(await overview()).toMatch(/we have not got to it yet\. .* Behind/)
    const { lanes } = await deliveries.due({ limit: 1, after: undefined })
    const [lane] = await deliveries.lease({
      worker: 'w',
      call: 1,
      lanes: lanes.map((lane) => ({ ...lane, room: 1 })),
      leaseMs: 60_000,
    })
    const slow = String.raw`the oldest has waited 4\d seconds\. The last answer took 9s\.`
    const text = await overview()
    expect(text).toMatch(new RegExp(`Deliveries are being sent, but ${slow} .* Slow `))
    expect(text).not.toContain('we have not got to it yet')
    // All other pages say the same.
    expect((await as().get(`/subscriptions/${id}`)).text).toMatch(new RegExp(`Slow .*${slow} .*Lag 4\\d seconds`))
    expect((await as().get('/subscriptions')).text).toMatch(/Slow the oldest delivery has waited 4\d seconds/)
    expect((await as().get(`/subscriptions/${id}/deliveries/${waiting}`)).text).toMatch(new RegExp(slow))
    const inGerman = createDashboard(callboard, {
      authorize: () => ({ accountId: 'acme', can: ['webhooks.read'] }),
      texts: german,
    })
    const answer = await inGerman.fetch(new Request('https://app.example.com/dashboard/overview'))
    expect(await answer.text()).toContain('Die letzte Antwort hat 9 Sek. gedauert.')
    // The worker lacks what it needs to send.
    await deliveries.settle([{ ...NOTHING_SENT, ...lane!, postponeMs: 1_000 }], FAILING_RULE)
    expect((await as().get(`/subscriptions/${id}`)).text).toContain('we have not got to it yet')
  })

  it('covers a day, a week or a month, depending on the address', async () => {
    const { as, hook, publish, callboard, advance } = await openDashboard()
    await hook()
    await publish()
    await attemptDeliveries(callboard)
    advance(2 * 86_400_000)
    await publish()
    await attemptDeliveries(callboard)
    expect((await as().get('/overview')).text).toContain('Delivered 1 ')
    const { html, text } = await as().get('/overview?range=week')
    expect(text).toContain('Delivered 2 ')
    expect(text).toContain('Peak: 1 a day')
    expect(html).toContain('Last 7 days: 2 succeeded, 0 failed')
    expect(text).not.toContain('Days begin and end in UTC.')
    const month = await as().get('/overview?range=month')
    expect(month.text).toContain('Delivered 2 ')
    expect(month.html).toContain('Last 30 days: 2 succeeded, 0 failed')
    expect((await as({ timeZone: 'Europe/Berlin' }).get('/overview?range=week')).text).toContain(
      'Days begin and end in UTC.',
    )
    expect((await as().get('/overview?range=year')).status).toBe(400)
  })

  it('shows only the account’s own deliveries, and hides subjects from viewers who may not see events', async () => {
    const { as, hook, publish, callboard } = await openDashboard()
    await hook()
    await publish({ id: 'ord_77' })
    await attemptDeliveries(callboard, {}, FAILED)
    expect((await as({ can: ['webhooks.read'] }).get('/overview')).text).not.toContain('ord_77')
    expect((await as({ accountId: 'globex' }).get('/overview')).text).not.toContain('hooks.zapier.com')
    expect((await as({ can: ['events.read'] }).get('/overview')).status).toBe(403)
  })

  it('says how to begin when there are no subscriptions', async () => {
    const { as } = await openDashboard()
    const { text, html } = await as().get('/overview')
    expect(text).toContain('No subscriptions yet')
    expect(html).toContain('href="/dashboard/subscriptions/new"')
    expect((await as({ can: ['webhooks.read'] }).get('/overview')).html).not.toContain('/subscriptions/new')
  })
})
