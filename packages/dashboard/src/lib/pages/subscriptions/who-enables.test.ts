import type { DisabledReason } from '@callboard/core'
import type { SentTest } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { disableFor } from '../../../../test/disable-for.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
const BY_PLATFORM = 'The platform disabled this subscription. Contact support to have it enabled again.'
const GONE: SentTest = {
  eventId: 'test_1',
  type: 'order.paid',
  outcome: 'failed',
  status: 410,
  reason: undefined,
  durationMs: 1,
  response: '',
  request: { url: INPUT.targetUrl, headers: {}, body: '{}' },
}

/** Creates a subscription as the dashboard does. Its target answers test events with a 410. */
async function world() {
  const opened = await openDashboard({ tests: { send: async () => GONE } })
  const { callboard, as } = opened
  const own = await callboard.subscriptions.create({ accountId: 'acme', ...INPUT })
  const page = `/subscriptions/${own.id}`
  return {
    ...opened,
    own,
    page,
    read: () => as().get(page),
    isOffered: async () => (await as().get(page)).html.includes(`action="/dashboard${page}/enable"`),
    found: () => callboard.subscriptions.find(own),
    disableFor: (reason: DisabledReason) => disableFor(callboard, own, reason),
  }
}

describe('a disabled subscription', () => {
  it('can be enabled by the account that disabled it', async () => {
    const { as, page, read, isOffered, found } = await world()
    await as().post(`${page}/disable`)
    expect(await found()).toMatchObject({ state: 'disabled', disabledReason: 'account' })
    expect((await as().get('/subscriptions')).text).toContain('Disabled Someone in your account disabled it')
    expect((await read()).text).toContain('Someone in your account disabled this subscription.')
    expect(await isOffered()).toBe(true)
    expect((await as().post(`${page}/enable`)).location).toBe(`/dashboard${page}?done=enabled`)
    expect(await found()).toMatchObject({ state: 'active' })
  })

  it('links to the deliveries that it missed, once it is enabled', async () => {
    const { as, callboard, page, publish, disableFor, advance } = await world()
    const enabled = async () => (await as().get(`${page}?done=enabled`)).html
    expect(await enabled()).not.toContain('Resend missed deliveries')
    await publish()
    await attemptDeliveries(callboard, {}, { outcome: 'gone', status: 410 })
    await disableFor('gone')
    advance(8 * 86_400_000)
    await as().post(`${page}/enable`)
    const link = /<a href="\/dashboard([^"]*)">Resend missed deliveries<\/a>/.exec(await enabled())?.[1] ?? ''
    expect((await as().get(link.replaceAll('&amp;', '&'))).text).toMatch(/About to resend 1 delivery .*Disabled/)
    // Without the notice, as after the platform has enabled it.
    expect((await as().get(page)).html).toContain(
      `<a class="button" href="/dashboard${link}">Resend missed deliveries</a>`,
    )
    expect((await as({ can: ['webhooks.read'] }).get(`${page}?done=enabled`)).html).not.toContain(link)
  })

  it('says that the platform disabled it, and has no button to enable it', async () => {
    const { as, callboard, own, page, read, isOffered } = await world()
    await callboard.subscriptions.disable({ ...own, by: 'platform' })
    const { text } = await read()
    expect(text).toContain(BY_PLATFORM)
    expect(text).not.toContain('Someone in your account')
    expect(await isOffered()).toBe(false)
    expect((await as().get('/subscriptions')).text).toContain('Disabled The platform disabled it')
    expect((await as().get(`${page}/resend`)).text).toContain('Contact support to have the subscription enabled.')
  })

  it('cannot be enabled by a handmade request if the platform disabled it', async () => {
    const { as, callboard, own, page, found, errors } = await world()
    await callboard.subscriptions.disable({ ...own, by: 'platform' })
    const refused = await as().post(`${page}/enable`)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain(`Not enabled ${BY_PLATFORM}`)
    expect(await found()).toMatchObject({ state: 'disabled', disabledReason: 'platform' })
    expect(errors).toEqual([])
  })

  it('loses its enable button when the platform disables it after the account did', async () => {
    const { as, callboard, own, page, read, isOffered, found } = await world()
    await as().post(`${page}/disable`)
    expect(await isOffered()).toBe(true)
    await callboard.subscriptions.disable({ ...own, by: 'platform' })
    expect(await isOffered()).toBe(false)
    expect((await read()).text).toContain(BY_PLATFORM)
    expect((await as().post(`${page}/enable`)).status).toBe(409)
    expect(await found()).toMatchObject({ disabledReason: 'platform' })
  })

  it('still has no enable button if the account disables it after the platform did', async () => {
    const { as, callboard, own, page, isOffered, found } = await world()
    await callboard.subscriptions.disable({ ...own, by: 'platform' })
    await as().post(`${page}/disable`)
    expect(await isOffered()).toBe(false)
    expect(await found()).toMatchObject({ disabledReason: 'platform' })
  })

  it('has its enable button again after the platform enables it and the account then disables it', async () => {
    const { as, callboard, own, page, isOffered } = await world()
    await callboard.subscriptions.disable({ ...own, by: 'platform' })
    await callboard.subscriptions.enable({ ...own, by: 'platform' })
    await as().post(`${page}/disable`)
    expect(await isOffered()).toBe(true)
  })
})

describe('the advice after a 410 response', () => {
  it('is the same on every page', async () => {
    const { as, callboard, page, publish, disableFor } = await world()
    const fix = 'Restore the target or use another: it no longer exists, or its automation is turned off.'
    const id = await publish()
    await attemptDeliveries(callboard, { [id]: { outcome: 'gone', status: 410 } })
    await disableFor('gone')
    expect((await as().get(page)).text).toContain(`${fix} Then enable the subscription.`)
    expect((await as().get(`${page}/deliveries/${id}`)).text).toContain(
      `${fix} Then enable the subscription. After that, resend it.`,
    )
    expect((await as().post(`${page}/test`, { type: 'order.paid' })).text).toContain(
      `The target returned 410 Gone. ${fix}`,
    )
  })

  it('says how each integration creates its subscription again', async () => {
    const { as, callboard, hook } = await openDashboard()
    for (const [integration, how] of [
      ['zapier', 'turn the automation off and on again in Zapier, which creates the subscription again.'],
      ['other', 'create the subscription again from the program that created it.'],
    ] as const) {
      const subscription = await hook({ integration })
      await disableFor(callboard, subscription, 'gone')
      const { text } = await as().get(`/subscriptions/${subscription.id}`)
      expect(text).toContain(`Then ${how}`)
      // What is created again is a new subscription, which has none of the missed deliveries.
      expect(text).not.toContain('can then be resent')
    }
  })
})
