import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
const FORM = { ...INPUT, targetUrl: 'https://stolen.example/', overlap: 'day', version: 'x', type: 'order.paid' }
const WRITES = ['edit', 'disable', 'enable', 'remove', 'rotate', 'test'] as const

async function world() {
  const tests = { send: () => Promise.reject(new Error('a test was sent')) }
  const opened = await openDashboard({ tests })
  const own = await opened.callboard.subscriptions.create({ accountId: 'acme', ...INPUT })
  const managed = await opened.hook()
  const before = await opened.callboard.subscriptions.list({ accountId: 'acme' })
  const unchanged = async (): Promise<void> =>
    expect(await opened.callboard.subscriptions.list({ accountId: 'acme' })).toEqual(before)
  return { ...opened, own, managed, unchanged }
}

describe('writes to subscriptions', () => {
  it('return 404 to another account', async () => {
    const { as, own, unchanged } = await world()
    const other = as({ accountId: 'globex' })
    for (const id of [own.id, createId('sub'), 'sub_x', '%00']) {
      for (const write of WRITES)
        expect((await other.post(`/subscriptions/${id}/${write}`, FORM)).status, write).toBe(404)
      for (const page of ['edit', 'test'])
        expect((await other.get(`/subscriptions/${id}/${page}`)).status, page).toBe(404)
    }
    await unchanged()
  })

  it('are refused if they are forged or have no header that says where they come from', async () => {
    const { as, own, unchanged } = await world()
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ])
      for (const path of [...WRITES.map((write) => `${own.id}/${write}`), 'new', 'check-target'])
        expect((await as().post(`/subscriptions/${path}`, FORM, headers)).status, path).toBe(403)
    await unchanged()
  })

  it('are not offered to viewers without `webhooks.write`, and are refused if such a viewer posts one', async () => {
    const { as, own, unchanged } = await world()
    const reader = as({ can: ['webhooks.read', 'people.read', 'keys.write'] })
    for (const path of [...WRITES.map((write) => `${own.id}/${write}`), 'new', 'check-target'])
      expect((await reader.post(`/subscriptions/${path}`, FORM)).status, path).toBe(403)
    for (const path of ['new', `${own.id}/edit`, `${own.id}/test`])
      expect((await reader.get(`/subscriptions/${path}`)).status, path).toBe(403)
    for (const path of ['', `/${own.id}`]) {
      const { html } = await reader.get(`/subscriptions${path}`)
      expect(html, path).not.toContain('method="post"')
      expect(html, path).not.toMatch(/href="[^"]*\/(?:new|edit|test|resend)"/)
    }
    await unchanged()
  })

  it('are refused for a subscription that an integration manages, and the page says where to change it', async () => {
    const { as, managed, unchanged } = await world()
    for (const write of WRITES) {
      const { status, text } = await as().post(`/subscriptions/${managed.id}/${write}`, FORM)
      expect(status, write).toBe(409)
      expect(text).toContain('The subscription was created through the API')
    }
    expect((await as().get(`/subscriptions/${managed.id}`)).html).not.toMatch(
      /action="[^"]*\/(?:disable|remove|rotate)"/,
    )
    await unchanged()
  })

  it('disable, enable and remove a subscription created in the dashboard', async () => {
    const { as, callboard, own } = await world()
    const page = `/subscriptions/${own.id}`
    expect((await as().post(`${page}/disable`)).location).toBe(`/dashboard${page}?done=disabled`)
    const off = await as().get(`${page}?done=disabled`)
    expect(off.text).toContain('Nothing is delivered until it is enabled.')
    expect(off.text).toContain('Enable it to deliver new events again.')
    expect((await as().post(`${page}/enable`)).location).toBe(`/dashboard${page}?done=enabled`)
    expect(await callboard.subscriptions.find(own)).toMatchObject({ state: 'active' })
    const removed = await as().post(`${page}/remove`)
    expect([removed.status, removed.location]).toEqual([303, '/dashboard/subscriptions?done=removed'])
    expect((await as().get('/subscriptions?done=removed')).text).toContain('Nothing more is sent to its target.')
    expect((await as().get(page)).status).toBe(404)
  })
})
