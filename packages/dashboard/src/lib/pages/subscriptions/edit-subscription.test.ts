import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }

async function world(input: object = {}) {
  const opened = await openDashboard()
  const subscription = await opened.callboard.subscriptions.create({ accountId: 'acme', ...INPUT, ...input })
  const page = `/subscriptions/${subscription.id}`
  return { ...opened, subscription, page, edit: `${page}/edit` }
}

describe('editing a subscription created in the dashboard', () => {
  it('starts with the current values, and confirms the change', async () => {
    const { as, callboard, subscription, edit, page } = await world({ description: 'Books' })
    const { html } = await as().get(edit)
    expect(html).toContain('value="https://hooks.example.com/1"')
    expect(html).toContain('value="Books"')
    expect(html).toMatch(/value="order\.paid" checked/)
    const form = { targetUrl: 'https://hooks.example.com/2', description: '', eventTypes: ['event.published'] }
    const { status, location } = await as().post(edit, form)
    expect([status, location]).toEqual([303, `/dashboard${page}?done=changed`])
    expect(await callboard.subscriptions.find(subscription)).toMatchObject({ ...form, description: undefined })
    expect((await as().get(`${page}?done=changed`)).text).toContain('Changes saved.')
  })

  it('returns the form with the entered values and the errors', async () => {
    const { as, callboard, subscription, edit } = await world()
    const { status, text, html } = await as().post(edit, { ...INPUT, targetUrl: 'https://localhost/' })
    expect(status).toBe(400)
    expect(text).toContain('Use a public https:// URL')
    expect(html).toContain('value="https://localhost/"')
    expect(await callboard.subscriptions.find(subscription)).toMatchObject(INPUT)
  })

  it('says what to do while deliveries from before the last change of event types are pending', async () => {
    const { as, callboard, subscription, edit, publish } = await world()
    await publish()
    await engineOf(callboard).store.deliveries.sequence(10)
    const changed = { ...INPUT, eventTypes: ['event.published'] }
    expect((await as().post(edit, changed)).status).toBe(303)
    expect((await as().post(edit, { ...changed, description: 'Books' })).status).toBe(303)
    const { status, text, html } = await as().post(edit, { ...INPUT, description: 'Bills' })
    expect(status).toBe(409)
    expect(text).toContain('Wait until they are sent, then change the event types.')
    expect(html).toContain('value="Bills"')
    expect(await callboard.subscriptions.find(subscription)).toMatchObject({ ...changed, description: 'Books' })
    await callboard.subscriptions.disable({ ...subscription, by: 'account' })
    expect((await as().post(edit, INPUT)).status).toBe(303)
  })

  it('leaves the choice of personal data unchanged if the form does not offer it', async () => {
    const { as, callboard, subscription, edit } = await world()
    await as({ can: ['webhooks.read', 'webhooks.write'] }).post(edit, { ...INPUT, personalData: 'on' })
    expect(await callboard.subscriptions.find(subscription)).toMatchObject({ personalData: false })
    await as().post(edit, { ...INPUT, personalData: 'on' })
    expect(await callboard.subscriptions.find(subscription)).toMatchObject({ personalData: true })
    await as().post(edit, INPUT)
    expect(await callboard.subscriptions.find(subscription)).toMatchObject({ personalData: false })
  })

  it('requires `people.read` if the subscription gets personal data, because an edit could redirect it', async () => {
    const { as, callboard, subscription, edit } = await world({ personalData: true })
    const reader = as({ can: ['webhooks.read', 'webhooks.write'] })
    const stolen = { ...INPUT, targetUrl: 'https://elsewhere.example/' }
    for (const answered of [await reader.get(edit), await reader.post(edit, stolen)]) {
      expect(answered.status).toBe(403)
      expect(answered.text).toContain('Ask someone who may see personal data')
    }
    expect(await callboard.subscriptions.find(subscription)).toMatchObject(INPUT)
  })
})
