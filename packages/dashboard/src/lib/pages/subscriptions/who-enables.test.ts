import type { DisabledReason } from '@callboard/core'
import { engineOf, type SentTest } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { tryDeliveries } from '../../../../test/try-deliveries.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
const BY_PLATFORM = 'The platform disabled this subscription. Contact it to have it enabled again.'
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

/** A subscription that the account's people created here. */
async function world() {
  const opened = await openDashboard({ tests: { send: async () => GONE } })
  const { callboard, as } = opened
  const own = await callboard.subscriptions.create({ accountId: 'acme' }, INPUT)
  const page = `/subscriptions/${own.id}`
  return {
    ...opened,
    own,
    page,
    read: () => as().get(page),
    isOffered: async () => (await as().get(page)).html.includes(`action="/dashboard${page}/enable"`),
    found: () => callboard.subscriptions.find(own),
    disableFor: (reason: DisabledReason) => engineOf(callboard).store.subscriptions.disable(own, reason, []),
  }
}

describe('a subscription that somebody disabled', () => {
  it('is enabled here when the account’s own people disabled it', async () => {
    const { as, page, read, isOffered, found } = await world()
    await as().post(`${page}/disable`)
    expect(await found()).toMatchObject({ state: 'disabled', disabledReason: 'account' })
    expect((await as().get('/subscriptions')).text).toContain('Disabled Switched off by hand')
    expect((await read()).text).toContain('It was switched off by hand')
    expect(await isOffered()).toBe(true)
    expect((await as().post(`${page}/enable`)).location).toBe(`/dashboard${page}?done=enabled`)
    expect(await found()).toMatchObject({ state: 'active' })
  })

  it('says that the platform did it, and offers no button', async () => {
    const { as, callboard, own, page, read, isOffered } = await world()
    await callboard.subscriptions.disable(own, { by: 'platform' })
    const { text } = await read()
    expect(text).toContain(BY_PLATFORM)
    expect(text).not.toContain('by hand')
    expect(await isOffered()).toBe(false)
    expect((await as().get('/subscriptions')).text).toContain('Disabled The platform disabled it')
    expect((await as().get(`${page}/resend`)).text).toContain('Contact the platform to have the subscription enabled.')
  })

  it('stays disabled when a form is made by hand to enable what the platform disabled', async () => {
    const { as, callboard, own, page, found, errors } = await world()
    await callboard.subscriptions.disable(own, { by: 'platform' })
    const refused = await as().post(`${page}/enable`)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain(`Not enabled ${BY_PLATFORM}`)
    expect(await found()).toMatchObject({ state: 'disabled', disabledReason: 'platform' })
    expect(errors).toEqual([])
  })

  it('loses the button when the platform disables it after the account did', async () => {
    const { as, callboard, own, page, read, isOffered, found } = await world()
    await as().post(`${page}/disable`)
    expect(await isOffered()).toBe(true)
    await callboard.subscriptions.disable(own, { by: 'platform' })
    expect(await isOffered()).toBe(false)
    expect((await read()).text).toContain(BY_PLATFORM)
    expect((await as().post(`${page}/enable`)).status).toBe(409)
    expect(await found()).toMatchObject({ disabledReason: 'platform' })
  })

  it('gets no button back when the account disables what the platform disabled', async () => {
    const { as, callboard, own, page, isOffered, found } = await world()
    await callboard.subscriptions.disable(own, { by: 'platform' })
    await as().post(`${page}/disable`)
    expect(await isOffered()).toBe(false)
    expect(await found()).toMatchObject({ disabledReason: 'platform' })
  })

  it('has its button again once the platform enabled it and the account disables it', async () => {
    const { as, callboard, own, page, isOffered } = await world()
    await callboard.subscriptions.disable(own, { by: 'platform' })
    await callboard.subscriptions.enable(own, { by: 'platform' })
    await as().post(`${page}/disable`)
    expect(await isOffered()).toBe(true)
  })
})

describe('the advice for a 410', () => {
  it('is the same on every page that gives it', async () => {
    const { as, callboard, page, publish, disableFor } = await world()
    const mend = 'Bring the address back or change it: nothing is there any more, or its automation is switched off.'
    const id = await publish()
    await tryDeliveries(callboard, { [id]: { outcome: 'gone', status: 410 } })
    await disableFor('gone')
    expect((await as().get(page)).text).toContain(`${mend} Then enable the subscription.`)
    expect((await as().get(`${page}/deliveries/${id}`)).text).toContain(
      `${mend} Then enable the subscription. After that, send it again.`,
    )
    expect((await as().post(`${page}/test`, { type: 'order.paid' })).text).toContain(
      `Your endpoint answered 410 Gone. ${mend}`,
    )
  })

  it('leaves an integration to create its subscription again', async () => {
    const { as, callboard, hook } = await openDashboard()
    for (const [integration, how] of [
      ['zapier', 'switch the automation off and on again in Zapier, which creates the subscription again.'],
      ['other', 'create the subscription again from the program that created it.'],
    ] as const) {
      const subscription = await hook({ integration })
      await engineOf(callboard).store.subscriptions.disable(subscription, 'gone', [])
      expect((await as().get(`/subscriptions/${subscription.id}`)).text).toContain(`Then ${how}`)
    }
  })
})
