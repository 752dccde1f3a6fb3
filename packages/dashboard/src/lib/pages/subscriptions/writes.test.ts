import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
const FORM = { ...INPUT, targetUrl: 'https://stolen.example/', overlap: '24', version: 'x', type: 'order.paid' }
const WRITES = ['edit', 'disable', 'enable', 'remove', 'rotate', 'test'] as const

async function world() {
  const tests = { send: () => Promise.reject(new Error('a test was sent')) }
  const opened = await openDashboard({ tests })
  const made = await opened.callboard.subscriptions.create({ accountId: 'acme' }, INPUT)
  const managed = await opened.hook()
  const before = await opened.callboard.subscriptions.list({ accountId: 'acme' })
  const unchanged = async (): Promise<void> =>
    expect(await opened.callboard.subscriptions.list({ accountId: 'acme' })).toEqual(before)
  return { ...opened, made, managed, unchanged }
}

describe('writes to subscriptions', () => {
  it('change nothing for another account, whose subscription is not there', async () => {
    const { as, made, unchanged } = await world()
    const other = as({ accountId: 'globex' })
    for (const id of [made.id, createId('sub'), 'sub_x', '%00']) {
      for (const write of WRITES)
        expect((await other.post(`/subscriptions/${id}/${write}`, FORM)).status, write).toBe(404)
      for (const page of ['edit', 'test'])
        expect((await other.get(`/subscriptions/${id}/${page}`)).status, page).toBe(404)
    }
    await unchanged()
  })

  it('change nothing when they are forged, or nothing says where they come from', async () => {
    const { as, made, unchanged } = await world()
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ])
      for (const path of [...WRITES.map((write) => `${made.id}/${write}`), 'new', 'check-target'])
        expect((await as().post(`/subscriptions/${path}`, FORM, headers)).status, path).toBe(403)
    await unchanged()
  })

  it('change nothing without webhooks.write, and are not offered then', async () => {
    const { as, made, unchanged } = await world()
    const reader = as({ can: ['webhooks.read', 'people.read', 'keys.write'] })
    for (const path of [...WRITES.map((write) => `${made.id}/${write}`), 'new', 'check-target'])
      expect((await reader.post(`/subscriptions/${path}`, FORM)).status, path).toBe(403)
    for (const path of ['new', `${made.id}/edit`, `${made.id}/test`])
      expect((await reader.get(`/subscriptions/${path}`)).status, path).toBe(403)
    for (const path of ['', `/${made.id}`]) {
      const { html } = await reader.get(`/subscriptions${path}`)
      expect(html, path).not.toContain('method="post"')
      expect(html, path).not.toMatch(/href="[^"]*\/(?:new|edit|test|resend)"/)
    }
    await unchanged()
  })

  it('change nothing of one that an integration manages, and say where that is changed', async () => {
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

  it('switch one that was made here off and on, and remove it', async () => {
    const { as, callboard, made } = await world()
    const page = `/subscriptions/${made.id}`
    expect((await as().post(`${page}/disable`)).location).toBe(`/dashboard${page}?done=disabled`)
    const off = await as().get(`${page}?done=disabled`)
    expect(off.text).toContain('no deliveries are made')
    expect(off.text).toContain('Enable it when you want them again')
    expect((await as().post(`${page}/enable`)).location).toBe(`/dashboard${page}?done=enabled`)
    expect(await callboard.subscriptions.find(made)).toMatchObject({ state: 'active' })
    const removed = await as().post(`${page}/remove`)
    expect([removed.status, removed.location]).toEqual([303, '/dashboard/subscriptions?done=removed'])
    expect((await as().get('/subscriptions?done=removed')).text).toContain('nothing is sent there any more')
    expect((await as().get(page)).status).toBe(404)
  })
})
