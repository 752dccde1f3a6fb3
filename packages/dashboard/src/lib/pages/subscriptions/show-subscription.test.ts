import { createId } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { disableFor } from '../../../../test/disable-for.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`
const AGAIN_IN_ZAPIER = 'turn the automation off and on again in Zapier, which creates the subscription again.'
const PLATFORM = 'The platform disabled this subscription. Contact support to have it enabled again.'

describe('the page of a subscription', () => {
  it('shows its target, event types, integration and external reference', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook({ externalRef: 'zap-4711', eventTypes: ['order.paid', 'event.published'] })
    const { status, text } = await as().get(`/subscriptions/${id}`)
    expect(status).toBe(200)
    for (const said of [
      'https://hooks.zapier.com/hooks/1',
      'order.paid',
      'Event on sale event.published Tickets can be bought from now on.',
      'Managed by Zapier',
      'zap-4711',
      'live',
      '2026-10-01',
      id,
    ])
      expect(text).toContain(said)
  })

  it('says how deliveries are signed, unless it is as the standard says', async () => {
    const { as, callboard, hook } = await openDashboard()
    const { id } = await hook()
    const page = async () => (await as().get(`/subscriptions/${id}`)).text
    expect(await page()).not.toContain('Signatures')
    const own = { type: 'hmac', header: 'X-Acme-Signature', over: 'timestamp.body', encoding: 'hex' } as const
    const signatures = ['standard', 'svix', { ...own, timestampHeader: 'X-Acme-Time' }] as const
    await callboard.subscriptions.setSignatures({ accountId: 'acme', id, signatures })
    expect(await page()).toContain(
      'Signatures webhook-signature svix-signature X-Acme-Signature: HMAC-SHA256 of the timestamp, a full stop and the body, in hex. The timestamp is in X-Acme-Time.',
    )
  })

  it('is found by the own id of an imported subscription, as are all pages below it', async () => {
    const { as, callboard, publish } = await openDashboard()
    const id = '7f9c24e8-3b12-4f.5A_b'
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const item = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'], integration: 'zapier', secret }
    await callboard.subscriptions.import([{ ...item, accountId: 'acme', id, description: 'Shop' }], { by: 'platform' })
    const event = await publish()
    await attemptDeliveries(callboard, { [event]: { outcome: 'exhausted', status: 500 } })
    expect((await as().get('/subscriptions')).html).toContain(`/subscriptions/${id}"`)
    const page = await as().get(`/subscriptions/${id}`)
    for (const said of [id, 'Managed by Zapier', 'Shop']) expect(page.text).toContain(said)
    expect((await as().get(`/subscriptions/${id}/deliveries`)).html).toContain(
      `/subscriptions/${id}/deliveries/${event}"`,
    )
    const delivery = await as().get(`/subscriptions/${id}/deliveries/${event}`)
    expect(delivery.text).toContain('it was not selected for this subscription')
    const resent = await as().post(`/subscriptions/${id}/deliveries/${event}/resend`)
    expect(resent).toMatchObject({ status: 303, location: expect.stringContaining(id) })
    expect((await as().get(`/events/${event}`)).html).toContain(`/subscriptions/${id}/deliveries/${event}`)
    expect((await as().get('/audit')).text).toContain('Imported a subscription')
  })

  it('says where to change a subscription that an integration manages', async () => {
    const { as, hook } = await openDashboard()
    const zap = await as().get(`/subscriptions/${(await hook()).id}`)
    expect(zap.text).toContain('Managed by Zapier. Change the automation or turn it off there.')
    const other = await as().get(`/subscriptions/${(await hook({ integration: 'other' })).id}`)
    expect(other.text).toContain('Managed through the API. Change or remove it with the program that created it.')
  })

  it('says what is wrong, for how long, and what to do, and links to failed deliveries', async () => {
    const { as, callboard, hook, publish, advance } = await openDashboard()
    const { id } = await hook()
    const [first, second] = [await publish(), await publish()]
    const failed = { outcome: 'failed', status: 500 } as const
    await attemptDeliveries(callboard, { [first]: failed, [second]: failed })
    advance(3 * 86_400_000)
    await attemptDeliveries(callboard, { [first]: failed, [second]: { outcome: 'exhausted', status: 500 } })
    const { html, text } = await as().get(`/subscriptions/${id}`)
    expect(text).toContain('The target returned 500 Internal Server Error. No delivery has succeeded for 3 days.')
    for (const said of ['Failing', 'Success rate 0% of attempts', 'Retrying 1', 'took 120ms'])
      expect(text).toContain(said)
    for (const path of ['resend', 'deliveries?state=retrying', 'deliveries?state=exhausted', `deliveries/${second}`])
      expect(html, path).toContain(`href="/dashboard/subscriptions/${id}/${path}"`)
    expect((await as({ can: ['webhooks.read'] }).get(`/subscriptions/${id}`)).html).not.toContain(`/${id}/resend`)
  })

  it('shows its attempts by minute, hour or day, and how long the newest took', async () => {
    const { as, callboard, hook, publish, advance } = await openDashboard()
    // To half a minute past 01:00 UTC, so that no minute, hour or day ends between attempts that belong together.
    advance(25 * 3_600_000 + 30_000 - (Date.now() % 86_400_000))
    const { id } = await hook()
    const attempt = async (durationMs: number, outcome: 'delivered' | 'exhausted') => {
      await publish()
      await attemptDeliveries(callboard, {}, { outcome, status: 204, durationMs })
    }
    await attempt(40, 'exhausted')
    advance(8 * 86_400_000)
    await attempt(100, 'delivered')
    advance(5 * 3_600_000)
    for (const durationMs of [200, 900]) await attempt(durationMs, 'delivered')
    const page = async (query: string) => (await as().get(`/subscriptions/${id}${query}`)).text
    for (const [query, peak, rate] of [
      ['?range=hour', 'Peak: 2 a minute', '100%'],
      ['', 'Peak: 2 an hour', '100%'],
      ['?range=month', 'Peak: 3 a day', '75%'],
    ] as const) {
      expect(await page(query)).toMatch(new RegExp(`${peak} .* Success rate ${rate} of attempts`))
      expect(await page(query)).toContain('Attempts took p50 100ms, p95 900ms (newest 4 attempts)')
    }
    expect((await as().get(`/subscriptions/${id}?range=year`)).status).toBe(400)
  })

  it('shows a day if there were too many attempts to show the last hour by minute', async () => {
    const { as, callboard, hook, publish } = await openDashboard()
    const { id } = await hook()
    for (let events = 0; events < 1_000; events++) await publish()
    await attemptDeliveries(callboard)
    const { html, text } = await as().get(`/subscriptions/${id}?range=hour`)
    expect(text).toContain('1,000 attempts or more in the last hour, so this shows 24 hours.')
    expect(text).toContain('Peak: 1,000 an hour')
    expect(html).not.toContain('href="?range=hour"')
    expect(text).toContain('(newest 1,000 attempts)')
  })

  it('offers an immediate attempt while the subscription is failing, but only to viewers with permission', async () => {
    const { as, callboard, hook, publish } = await openDashboard()
    const { id } = await hook()
    const event = await publish()
    await attemptDeliveries(callboard, { [event]: { outcome: 'failed', status: 500 } })
    const action = `/subscriptions/${id}/deliveries/${event}/resend`
    expect((await as().get(`/subscriptions/${id}`)).html).toContain(`action="/dashboard${action}"`)
    expect((await as().post(action)).location).toBe(`/dashboard/subscriptions/${id}/deliveries/${event}?done=hastened`)
    expect((await as({ can: ['webhooks.read'] }).get(`/subscriptions/${id}`)).html).not.toContain(action)
  })

  it('offers to resend exhausted deliveries once the target works again', async () => {
    const { as, callboard, hook, publish } = await openDashboard()
    const { id } = await hook()
    const [lost] = [await publish()]
    await attemptDeliveries(callboard, { [lost]: { outcome: 'exhausted', status: 500 } })
    await publish()
    await attemptDeliveries(callboard)
    const { html, text } = await as().get(`/subscriptions/${id}`)
    expect(text).toContain('Some deliveries are exhausted: all their attempts failed.')
    expect(html).toContain(`href="/dashboard/subscriptions/${id}/resend"`)
  })

  it.each([
    ['gone', `its automation is turned off. Then ${AGAIN_IN_ZAPIER}`, 'Then enable the subscription.'],
    ['failing', `Fix the target. Then ${AGAIN_IN_ZAPIER}`, 'Fix the target. Then enable the subscription.'],
    ['key', `Give Zapier another API key of this account. Then ${AGAIN_IN_ZAPIER}`, 'Then enable the subscription.'],
    ['account', 'Contact support to have the subscription enabled.', 'Enable it to deliver new events again.'],
    ['platform', PLATFORM, PLATFORM],
  ] as const)(
    'says why the subscription is disabled, and who can do what about it: %s',
    async (reason, elsewhere, here) => {
      const { as, callboard, hook } = await openDashboard()
      const zap = await hook()
      const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
      const own = await callboard.subscriptions.create({ accountId: 'acme', ...input })
      for (const [one, said] of [
        [zap, elsewhere],
        [own, here],
      ] as const) {
        await disableFor(callboard, one, reason)
        const { html, text } = await as().get(`/subscriptions/${one.id}`)
        expect(text).toContain('Disabled')
        expect(text).toContain(said)
        expect(html.includes(`action="/dashboard/subscriptions/${one.id}/enable"`)).toBe(
          one === own && reason !== 'platform',
        )
      }
    },
  )

  it.each([
    [4, 'full', 'the target gets at most 4 requests at a time.'],
    [1, 'new', 'the target gets at most 1 request at a time until its first answer.'],
    [
      1_200,
      'failing',
      'the target gets at most 1,200 requests at a time because its last requests failed or were slow.',
    ],
  ] as const)('says that a limit holds deliveries back, and why: %i %s', async (limit, reason, said) => {
    const { as, callboard, hook, publish, advance } = await openDashboard()
    const { id } = await hook()
    const { deliveries } = engineOf(callboard).store
    const details = {
      waiting: { lanes: 1, accounts: 1 },
      heldBack: [
        { host: 'private.example', limit: 9, reason: 'full', lanes: 1 } as const,
        { host: 'hooks.zapier.com', limit, reason, lanes: 1 },
      ],
    }
    await deliveries.attend({ id: 'w', name: 'secret worker', details })
    expect((await as().get(`/subscriptions/${id}`)).text).not.toContain('Held back')
    await publish()
    await deliveries.sequence(10)
    const page = await as().get(`/subscriptions/${id}`)
    expect(page.text).toContain(`Held back: ${said}`)
    expect(page.text).toContain('Deliveries wait for their turn, and waiting uses up no attempts.')
    const list = await as().get('/subscriptions')
    expect(list.text).toContain(`Held back: ${said.slice(0, -1)}`)
    for (const { html } of [page, list]) expect(html).not.toMatch(/private\.example|secret worker/)
    advance(5_000)
    expect((await as().get(`/subscriptions/${id}`)).text).not.toContain('Held back')
  })

  it('says whether personal data is sent, and why', async () => {
    const { as, hook } = await openDashboard()
    const without = await as().get(`/subscriptions/${(await hook()).id}`)
    expect(without.text).toContain('Not sent: the API key of this subscription does not have the scope people.read.')
    const scopes = ['webhooks.write', 'people.read'] as const
    const sent = await as().get(`/subscriptions/${(await hook({ externalRef: '2' }, { scopes })).id}`)
    expect(sent.text).toContain('Sent: the API key of this subscription has the scope people.read.')
  })

  it('shows untrusted text as text', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook({ externalRef: HOSTILE, targetUrl: 'https://a.example/<script>alert(1)</script>?q="\'>' })
    for (const path of ['/subscriptions', `/subscriptions/${id}`]) {
      const { html, text } = await as().get(path)
      expect(html.replace(/<script type="module"/g, '')).not.toContain('<script')
      if (path !== '/subscriptions') expect(text).toContain(HOSTILE)
    }
  })

  it('responds with 404 to another account, and to a malformed or unknown id', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook()
    expect((await as({ accountId: 'globex' }).get(`/subscriptions/${id}`)).status).toBe(404)
    for (const unknown of [createId('sub'), 'sub_', '%00', '..%2f', 'evt_1'])
      expect((await as().get(`/subscriptions/${unknown}`)).status, unknown).toBe(404)
  })

  it('shows the response of the last failed attempt beside the advice, to viewers who may see personal data', async () => {
    const { as, hook, publish, callboard } = await openDashboard()
    const { id } = await hook()
    await publish()
    await attemptDeliveries(callboard, {}, { outcome: 'failed', status: 500, response: 'database is locked' })
    const { text } = await as().get(`/subscriptions/${id}`)
    expect(text).toMatch(/Response to the last attempt .*database is locked.* Retry now/)
    const hidden = await as({ can: ['webhooks.read'] }).get(`/subscriptions/${id}`)
    expect(hidden.html).not.toContain('database is locked')
    expect(hidden.text).toContain('The response is hidden')
    await publish()
    await attemptDeliveries(callboard)
    expect((await as().get(`/subscriptions/${id}`)).text).not.toContain('Response to the last attempt')
  })

  it('has the description as its title, or the whole target if the subscription has no description', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook({ targetUrl: 'https://hooks.example.com/orders/42' })
    const { html } = await as().get(`/subscriptions/${id}`)
    expect(html).toContain('<title>hooks.example.com/orders/42 · Webhooks</title>')
    expect(html).toMatch(/<h1 id="title">.*hooks\.example\.com.*\/orders\/42.*<\/h1>/)
  })
})
