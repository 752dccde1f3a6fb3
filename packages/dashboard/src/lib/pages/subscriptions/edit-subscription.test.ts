import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }

async function world(input: object = {}) {
  const opened = await openDashboard()
  const made = await opened.callboard.subscriptions.create({ accountId: 'acme' }, { ...INPUT, ...input })
  return { ...opened, made, page: `/subscriptions/${made.id}`, edit: `/subscriptions/${made.id}/edit` }
}

describe('changing a subscription made here', () => {
  it('begins with what it is, and says afterwards that it is saved', async () => {
    const { as, callboard, made, edit, page } = await world({ description: 'Books' })
    const { html } = await as().get(edit)
    expect(html).toContain('value="https://hooks.example.com/1"')
    expect(html).toContain('value="Books"')
    expect(html).toMatch(/value="order\.paid" checked/)
    const form = { targetUrl: 'https://hooks.example.com/2', description: '', eventTypes: ['event.published'] }
    const { status, location } = await as().post(edit, form)
    expect([status, location]).toEqual([303, `/dashboard${page}?done=changed`])
    expect(await callboard.subscriptions.find(made)).toMatchObject({ ...form, description: undefined })
    expect((await as().get(`${page}?done=changed`)).text).toContain('The changes are saved.')
  })

  it('gives the form back as it was filled in, with what is wrong', async () => {
    const { as, callboard, made, edit } = await world()
    const { status, text, html } = await as().post(edit, { ...INPUT, targetUrl: 'https://localhost/' })
    expect(status).toBe(400)
    expect(text).toContain('Use a public https:// address')
    expect(html).toContain('value="https://localhost/"')
    expect(await callboard.subscriptions.find(made)).toMatchObject(INPUT)
  })

  it('leaves personal data as it is where the form does not ask for it', async () => {
    const { as, callboard, made, edit } = await world()
    await as({ can: ['webhooks.read', 'webhooks.write'] }).post(edit, { ...INPUT, personalData: 'on' })
    expect(await callboard.subscriptions.find(made)).toMatchObject({ personalData: false })
    await as().post(edit, { ...INPUT, personalData: 'on' })
    expect(await callboard.subscriptions.find(made)).toMatchObject({ personalData: true })
    await as().post(edit, INPUT)
    expect(await callboard.subscriptions.find(made)).toMatchObject({ personalData: false })
  })

  it('is not for those who may not see personal data where such data is sent: they could send it to themselves', async () => {
    const { as, callboard, made, edit } = await world({ personalData: true })
    const reader = as({ can: ['webhooks.read', 'webhooks.write'] })
    const stolen = { ...INPUT, targetUrl: 'https://elsewhere.example/' }
    for (const answered of [await reader.get(edit), await reader.post(edit, stolen)]) {
      expect(answered.status).toBe(403)
      expect(answered.text).toContain('Ask somebody who may see personal data')
    }
    expect(await callboard.subscriptions.find(made)).toMatchObject(INPUT)
  })
})
