import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'

describe('the audit trail', () => {
  it('says who did what, newest first, with links to what was changed', async () => {
    const { as, hook, callboard } = await openDashboard()
    const { id, confirmedBy = '' } = await hook({ externalRef: 'zap_7' })
    const key = await callboard.keys.find({ accountId: 'acme', id: confirmedBy })
    const viewer = as({ id: 'usr_7' })
    await viewer.post(`/subscriptions/${id}/disable`)
    const own = await callboard.subscriptions.create({
      accountId: 'acme',
      targetUrl: 'https://example.com/orders?token=hidden',
      eventTypes: ['order.paid'],
    })
    await viewer.post(`/subscriptions/${own.id}/disable`)
    await callboard.as({ type: 'operator', id: 'ada' }).subscriptions.disable({ accountId: 'acme', id, by: 'platform' })
    const { status, text, html } = await viewer.get('/audit')
    expect(status).toBe(200)
    const row = (what: string, who: string) =>
      new RegExp(`${what} ${who} \\w{3} \\d{1,2}, \\d{4}, \\d{1,2}:\\d\\d:\\d\\d [AP]M`)
    expect(text).toMatch(row(`Disabled a subscription reason: platform zap_7`, 'The platform'))
    expect(text).toMatch(row('Disabled a subscription reason: account example.com/orders', 'usr_7'))
    expect(text).toMatch(row('Created a subscription Zapier zap_7', `API key an automation …${key?.lastCharacters}`))
    expect(text).toMatch(row(`Issued an API key .*an automation …${key?.lastCharacters}`, 'The platform'))
    expect(text.indexOf('reason: platform')).toBeLessThan(text.indexOf('reason: account'))
    expect(html).toContain(`href="/dashboard/subscriptions/${id}"`)
    expect(html).toContain(`href="/dashboard/keys/${confirmedBy}"`)
    for (const hidden of ['ada@', 'hidden', id, confirmedBy]) expect(text).not.toContain(hidden)
  })

  it('shows the id of what no longer exists, and of what the viewer may not see', async () => {
    const { as, hook, callboard } = await openDashboard()
    const { id, confirmedBy } = await hook({ externalRef: 'zap_7' })
    const { text } = await as({ can: ['audit.read'] }).get('/audit')
    expect(text).toContain(`Created a subscription Zapier ${id} API key ${confirmedBy}`)
    await callboard.subscriptions.remove({ accountId: 'acme', id, by: 'platform' })
    expect((await as().get(`/audit?of=${id}`)).text).toContain('Removed a subscription zap_7')
    await callboard.accounts.delete({ id: 'acme' })
    expect((await as().get('/audit')).text).toContain(`Removed a subscription ${id}`)
  })

  it('can be limited to one subscription, and shows only what belongs to the account', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook()
    const theirs = await hook({}, { accountId: 'globex' })
    const one = await as().get(`/audit?of=${id}`)
    expect(one.text).toContain('Created a subscription')
    expect(one.text).not.toContain('Issued an API key')
    expect((await as().get(`/audit?of=${theirs.id}`)).text).toContain('Nothing here')
    expect((await as().get('/audit')).html).not.toContain(theirs.id)
    expect((await as().get(`/subscriptions/${id}`)).html).toContain(`href="/dashboard/audit?of=${id}"`)
  })

  it('is read page by page, and only by viewers with permission', async () => {
    const { as, callboard } = await openDashboard()
    for (let n = 0; n < 30; n++) await callboard.accounts.rename({ id: 'acme', name: `Acme ${n}` })
    const first = await as().get('/audit')
    const [, next = ''] =
      /rel="next"[^>]*/.exec(first.html)?.[0] === undefined ? [] : (/href="(\?cursor=[^"]+)"/.exec(first.html) ?? [])
    const second = await as().get(`/audit${next.replaceAll('&amp;', '&')}`)
    expect(second.text).toContain('Created the account')
    expect((await as().get('/audit?cursor=x')).status).toBe(400)
    const guest = as({ can: ['webhooks.read'] })
    expect((await guest.get('/audit')).status).toBe(403)
    expect((await guest.get('/subscriptions')).html).not.toContain('/audit')
  })

  it('refuses a viewer whose id is an e-mail address', async () => {
    const { as, errors } = await openDashboard()
    expect((await as({ id: 'ada@example.com' }).get('/audit')).status).toBe(500)
    expect(String(errors[0])).toContain('opaque id')
  })
})
