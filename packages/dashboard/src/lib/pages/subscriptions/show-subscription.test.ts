import { createId } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { tryDeliveries } from '../../../../test/try-deliveries.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`
const AGAIN_IN_ZAPIER = 'switch the automation off and on again in Zapier, which creates the subscription again.'
const PLATFORM = 'The platform disabled this subscription. Contact it to have it enabled again.'

describe('the page of a subscription', () => {
  it('says what it is: target, events, who manages it, and what they call it', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook({ externalRef: 'zap-4711', eventTypes: ['order.paid', 'event.published'] })
    const { status, text } = await as().get(`/subscriptions/${id}`)
    expect(status).toBe(200)
    for (const said of [
      'https://hooks.zapier.com/hooks/1',
      'order.paid',
      'event.published',
      'Managed by Zapier',
      'zap-4711',
      'live',
      '2026-10-01',
      id,
    ])
      expect(text).toContain(said)
  })

  it('says of one that an integration manages where it is changed', async () => {
    const { as, hook } = await openDashboard()
    const zap = await as().get(`/subscriptions/${(await hook()).id}`)
    expect(zap.text).toContain('Managed by Zapier: switch the automation off or change it there.')
    const other = await as().get(`/subscriptions/${(await hook({ integration: 'other' })).id}`)
    expect(other.text).toContain('Managed through the API: the program that made it changes and removes it.')
  })

  it('says what is wrong, for how long, and what to do, and leads to what failed', async () => {
    const { as, callboard, hook, publish, advance } = await openDashboard()
    const { id } = await hook()
    const [first, second] = [await publish(), await publish()]
    const failed = { outcome: 'failed', status: 500 } as const
    await tryDeliveries(callboard, { [first]: failed, [second]: failed })
    advance(3 * 86_400_000)
    await tryDeliveries(callboard, { [first]: failed, [second]: { outcome: 'exhausted', status: 500 } })
    const { html, text } = await as().get(`/subscriptions/${id}`)
    expect(text).toContain('Your endpoint answered 500 Internal Server Error. Nothing has arrived for 3 days.')
    for (const said of ['Failing', '0% of the attempts', 'Waiting for another try 1', 'took 120ms'])
      expect(text).toContain(said)
    for (const path of ['resend', 'deliveries?state=retrying', 'deliveries?state=exhausted', `deliveries/${second}`])
      expect(html, path).toContain(`href="/dashboard/subscriptions/${id}/${path}"`)
    expect((await as({ can: ['webhooks.read'] }).get(`/subscriptions/${id}`)).html).not.toContain(`/${id}/resend`)
  })

  it('offers one that fails a try at once, to whoever may make it', async () => {
    const { as, callboard, hook, publish } = await openDashboard()
    const { id } = await hook()
    const event = await publish()
    await tryDeliveries(callboard, { [event]: { outcome: 'failed', status: 500 } })
    const action = `/subscriptions/${id}/deliveries/${event}/resend`
    expect((await as().get(`/subscriptions/${id}`)).html).toContain(`action="/dashboard${action}"`)
    expect((await as().post(action)).location).toBe(`/dashboard/subscriptions/${id}/deliveries/${event}?done=hastened`)
    expect((await as({ can: ['webhooks.read'] }).get(`/subscriptions/${id}`)).html).not.toContain(action)
  })

  it('offers to send again what failed before, once all is well', async () => {
    const { as, callboard, hook, publish } = await openDashboard()
    const { id } = await hook()
    const [lost] = [await publish()]
    await tryDeliveries(callboard, { [lost]: { outcome: 'exhausted', status: 500 } })
    await publish()
    await tryDeliveries(callboard)
    const { html, text } = await as().get(`/subscriptions/${id}`)
    expect(text).toContain('Some deliveries have used up their tries without arriving.')
    expect(html).toContain(`href="/dashboard/subscriptions/${id}/resend"`)
  })

  it.each([
    ['gone', `its automation is switched off. Then ${AGAIN_IN_ZAPIER}`, 'Then enable the subscription.'],
    ['failing', `Fix your endpoint. Then ${AGAIN_IN_ZAPIER}`, 'Fix your endpoint. Then enable the subscription.'],
    ['key', `Give Zapier another API key of this account. Then ${AGAIN_IN_ZAPIER}`, 'Then enable the subscription.'],
    ['account', 'Contact the platform to have the subscription enabled.', 'Enable it when you want them again'],
    ['platform', PLATFORM, PLATFORM],
  ] as const)('says why it is disabled and who can do what about it: %s', async (reason, elsewhere, here) => {
    const { as, callboard, hook } = await openDashboard()
    const zap = await hook()
    const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
    const own = await callboard.subscriptions.create({ accountId: 'acme' }, input)
    for (const [one, said] of [
      [zap, elsewhere],
      [own, here],
    ] as const) {
      await engineOf(callboard).store.subscriptions.disable(one, reason, [])
      const { html, text } = await as().get(`/subscriptions/${one.id}`)
      expect(text).toContain('Disabled')
      expect(text).toContain(said)
      expect(html.includes(`action="/dashboard/subscriptions/${one.id}/enable"`)).toBe(
        one === own && reason !== 'platform',
      )
    }
  })

  it('says whether personal data is sent, and why', async () => {
    const { as, hook } = await openDashboard()
    const without = await as().get(`/subscriptions/${(await hook()).id}`)
    expect(without.text).toContain('Not sent: the API key of this subscription does not have the scope people.read.')
    const scopes = ['webhooks.write', 'people.read'] as const
    const sent = await as().get(`/subscriptions/${(await hook({ externalRef: '2' }, { scopes })).id}`)
    expect(sent.text).toContain('Sent: the API key of this subscription has the scope people.read.')
  })

  it('shows what strangers wrote as text', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook({ externalRef: HOSTILE, targetUrl: 'https://a.example/<script>alert(1)</script>?q="\'>' })
    for (const path of ['/subscriptions', `/subscriptions/${id}`]) {
      const { html, text } = await as().get(path)
      expect(html.replace(/<script type="module"/g, '')).not.toContain('<script')
      if (path !== '/subscriptions') expect(text).toContain(HOSTILE)
    }
  })

  it('is not there for another account, nor where the id is none', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook()
    expect((await as({ accountId: 'globex' }).get(`/subscriptions/${id}`)).status).toBe(404)
    for (const unknown of [createId('sub'), 'sub_', '%00', '..%2f', 'evt_1'])
      expect((await as().get(`/subscriptions/${unknown}`)).status, unknown).toBe(404)
  })
})
