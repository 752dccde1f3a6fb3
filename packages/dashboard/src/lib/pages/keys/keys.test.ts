import { createId, type IssueKeyInput } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { type DashboardWorldOptions, openDashboard } from '../../../../test/dashboard-world.ts'

const DAY_MS = 86_400_000
const TOKEN = /cb_live_[0-9A-Za-z]{71}/
const HOSTILE = '<img src=x onerror=alert(1)>"'

async function world(options: DashboardWorldOptions = {}) {
  const opened = await openDashboard(options)
  const { callboard } = opened
  const { admissions } = engineOf(callboard)
  const issue = (input: Partial<IssueKeyInput> = {}) =>
    callboard.keys.issue({ accountId: 'acme', name: 'Zapier', scopes: ['webhooks.write'], ...input })
  /** The fields of a completed form for a new key. */
  const filled = (fields: Record<string, string | readonly string[]> = {}) => ({
    name: 'Bookkeeping',
    scopes: ['webhooks.read', 'webhooks.write'],
    expiry: '',
    ...fields,
  })
  /** The hidden id of the form for a new key. */
  const formId = async (viewer = opened.as()) => {
    const [, id = ''] = /name="id" value="([^"]+)"/.exec((await viewer.get('/keys/new')).html) ?? []
    return id
  }
  const admitted = async (token: string) => (await admissions.admit(`Bearer ${token}`)).outcome === 'admitted'
  return {
    ...opened,
    issue,
    filled,
    formId,
    admitted,
    keys: async () => (await callboard.keys.list({ accountId: 'acme' })).keys,
  }
}

describe('the pages of an account’s keys', () => {
  it('list the keys, valid keys first, with their scopes, last use, expiry and state', async () => {
    const { as, issue, callboard } = await world()
    const revoked = await issue({ name: 'Old laptop' })
    const kept = await issue({ scopes: ['webhooks.read', 'people.read'], expiresAt: new Date(Date.now() + DAY_MS) })
    await issue({ accountId: 'globex', name: 'Theirs' })
    await issue({ mode: 'test', name: 'Trying out' })
    await engineOf(callboard).admissions.admit(`Bearer ${kept.token}`)
    await callboard.keys.revoke({ accountId: 'acme', id: revoked.id })
    const { status, text, html } = await as().get('/keys')
    expect(status).toBe(200)
    expect(text).toMatch(/Zapier …\w{4} Active Read events, see personal data \w{3} \d.* [AP]M \w{3} \d.* [AP]M/)
    expect(text).toMatch(/Old laptop …\w{4} Revoked Manage subscriptions Never \w{3} \d.* [AP]M/)
    expect(text.indexOf('Zapier')).toBeLessThan(text.indexOf('Old laptop'))
    expect(text).toContain('live mode')
    for (const other of ['Theirs', 'Trying out', kept.token]) expect(html).not.toContain(other)
  })

  it('show 25 keys at a time', async () => {
    const { as, issue } = await world()
    const oldest = await issue({ name: 'Oldest' })
    for (let keys = 0; keys < 25; keys++) await issue()
    const first = await as().get('/keys')
    expect(first.html).not.toContain(oldest.id)
    const next = /rel="next" href="([^"]+)"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await as().get(`/keys${next}`)
    expect([second.html.includes(oldest.id), second.text.includes('Zapier')]).toEqual([true, false])
  })

  it('say what to do if there are no keys: create one, or ask an administrator to', async () => {
    const { as } = await world()
    const mine = await as().get('/keys')
    expect(mine.text).toContain('Create one and paste it')
    expect(mine.html).toContain('href="/dashboard/keys/new"')
    const others = await as({ can: ['keys.read'] }).get('/keys')
    expect(others.text).toContain('Ask an administrator of your account to create one.')
    expect(others.html).not.toContain('/keys/new')
  })

  it('say that the account has reached its limit of keys, keep the entered values, and still rotate keys', async () => {
    const { as, issue, filled, formId, keys } = await world({ maxKeys: 1 })
    const { id } = await issue()
    const form = filled({ id: await formId() })
    const { status, text, html } = await as().post('/keys/new', form)
    expect(status).toBe(409)
    expect(text).toContain('Your account has reached its limit of API keys')
    expect(html).toContain('value="Bookkeeping"')
    expect(html).toMatch(/callout-warning" role="alert" tabindex="-1" autofocus/)
    expect((await as().post(`/keys/${id}/rotate`, { overlap: '24h', expiry: '' })).status).toBe(200)
    expect((await as().post('/keys/new', form)).status).toBe(409)
    const [successor] = await keys()
    await as().post(`/keys/${successor?.id}/revoke`)
    expect((await as().post('/keys/new', form)).status).toBe(409)
    await as().post(`/keys/${id}/revoke`)
    expect((await as().post('/keys/new', form)).status).toBe(200)
    expect((await as().post('/keys/new', form)).text).not.toContain('reached its limit')
  })

  it('show keys only to viewers with `keys.read`, and let only viewers with `keys.write` change them', async () => {
    const { as, issue, filled, keys } = await world()
    const { id } = await issue()
    for (const path of ['/keys', `/keys/${id}`, '/keys/new'])
      expect((await as({ can: ['webhooks.read'] }).get(path)).status).toBe(403)
    const reader = as({ can: ['keys.read', 'webhooks.write'] })
    expect((await reader.get(`/keys/${id}`)).html).not.toContain('<form')
    expect((await reader.get('/keys/new')).status).toBe(403)
    for (const path of ['/keys/new', `/keys/${id}/rotate`, `/keys/${id}/revoke`])
      expect((await reader.post(path, filled())).status).toBe(403)
    expect(await keys()).toMatchObject([{ id, revokedAt: undefined, successorId: undefined }])
  })

  it('do not show a key to another account, nor in another mode', async () => {
    const { as, issue } = await world()
    const theirs = await issue({ accountId: 'globex' })
    const test = await issue({ mode: 'test' })
    for (const id of [theirs.id, test.id, createId('key'), 'x', '%00']) {
      expect((await as().get(`/keys/${id}`)).status, id).toBe(404)
      expect((await as().post(`/keys/${id}/rotate`)).status, id).toBe(404)
      expect((await as().post(`/keys/${id}/revoke`)).status, id).toBe(404)
    }
    expect((await as({ accountId: 'globex' }).get(`/keys/${theirs.id}`)).status).toBe(200)
  })

  it('do not let forged forms change a key', async () => {
    const { as, issue, filled, keys } = await world()
    const { id } = await issue()
    for (const path of ['/keys/new', `/keys/${id}/rotate`, `/keys/${id}/revoke`])
      expect((await as().post(path, filled(), { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(await keys()).toMatchObject([{ id, revokedAt: undefined, successorId: undefined }])
  })

  it('show a hostile name as plain text', async () => {
    const { as, issue } = await world()
    const { id } = await issue({ name: HOSTILE })
    for (const path of ['/keys', `/keys/${id}`]) {
      const { html, text } = await as().get(path)
      expect(html).not.toContain('<img')
      expect(text).toContain(HOSTILE)
    }
  })
})

describe('creating a key', () => {
  it('shows its token once, with its scopes and expiry', async () => {
    const { as, filled, admitted, keys } = await world()
    const { status, html, text } = await as().post('/keys/new', filled({ expiry: '90' }))
    const [token = ''] = TOKEN.exec(html) ?? []
    expect(status).toBe(200)
    expect(await admitted(token)).toBe(true)
    expect(text).toContain('Copy it now. It will not be shown again.')
    const [key] = await keys()
    expect(key).toMatchObject({ name: 'Bookkeeping', mode: 'live', scopes: ['webhooks.read', 'webhooks.write'] })
    expect(Math.round((key!.expiresAt!.getTime() - key!.createdAt.getTime()) / DAY_MS)).toBe(90)
    expect((await as().get(`/keys/${key!.id}`)).html).not.toMatch(TOKEN)
  })

  it('creates one key, however often the form is posted', async () => {
    const { as, filled, formId, keys } = await world()
    const fields = filled({ id: await formId() })
    await as().post('/keys/new', fields)
    const again = await as().post('/keys/new', fields)
    expect([again.status, TOKEN.test(again.html)]).toEqual([409, false])
    expect(again.text).toContain('No second key was created.')
    expect(await keys()).toHaveLength(1)
  })

  it('never uses an id that the form did not get for this account', async () => {
    const { as, issue, filled, formId, keys, callboard } = await world()
    const theirs = await issue({ accountId: 'globex' })
    const signedForThem = await formId(as({ accountId: 'globex' }))
    for (const id of [theirs.id, createId('key'), signedForThem])
      expect((await as().post('/keys/new', filled({ id }))).status).toBe(200)
    expect((await keys()).map(({ id }) => id)).not.toContain(theirs.id)
    expect((await as({ accountId: 'globex' }).post('/keys/new', filled({ id: signedForThem }))).status).toBe(200)
    expect(await callboard.accounts.ownersOf({ id: theirs.id })).toEqual([{ accountId: 'globex', mode: 'live' }])
  })

  it('keeps the id when the form is shown again with errors', async () => {
    const { as, filled, formId, keys } = await world()
    const id = await formId()
    expect((await as().post('/keys/new', filled({ id, name: '' }))).html).toContain(`name="id" value="${id}"`)
    await as().post('/keys/new', filled({ id }))
    expect((await as().post('/keys/new', filled({ id }))).status).toBe(409)
    expect(await keys()).toHaveLength(1)
  })

  it('shows an error at each empty field, and keeps the entered values', async () => {
    const { as, filled, keys } = await world()
    const nameless = await as().post('/keys/new', filled({ name: '  ', expiry: '30', scopes: 'people.read' }))
    expect(nameless.status).toBe(400)
    expect(nameless.text).toContain('Enter a name of 1 to 100 characters.')
    expect(nameless.html).toMatch(/<option value="30" selected/)
    expect(nameless.html).toMatch(/value="people.read" checked/)
    for (const scopes of [[], 'everything']) {
      const powerless = await as().post('/keys/new', filled({ scopes }))
      expect([powerless.status, powerless.text]).toEqual([400, expect.stringContaining('Choose at least one scope')])
      expect(powerless.html).toContain('value="Bookkeeping"')
    }
    expect(await keys()).toEqual([])
  })

  it('grants only scopes that the viewer has permission for', async () => {
    const { as, filled, issue, keys } = await world()
    const somebody = as({ can: ['keys.read', 'keys.write', 'webhooks.write'] })
    const form = await somebody.get('/keys/new')
    expect(form.html).toMatch(/value="people.read" disabled/)
    expect(form.html).toMatch(/value="webhooks.write" checked/)
    for (const scopes of ['people.read', 'webhooks.read'])
      expect((await somebody.post('/keys/new', filled({ scopes }))).status).toBe(400)
    const { id } = await issue({ scopes: ['people.read'] })
    expect((await somebody.get(`/keys/${id}`)).html).not.toContain(`/keys/${id}/rotate`)
    expect((await somebody.post(`/keys/${id}/rotate`)).status).toBe(403)
    expect(await keys()).toMatchObject([{ id, successorId: undefined }])
    expect((await somebody.post('/keys/new', filled({ scopes: 'webhooks.write' }))).status).toBe(200)
  })
})

describe('rotating a key', () => {
  it('shows the new token once; the old key works for the chosen time, and its page links to the new key', async () => {
    const { as, issue, admitted, callboard } = await world()
    const old = await issue()
    const { html, text } = await as().post(`/keys/${old.id}/rotate`, { overlap: 'week' })
    const [token = ''] = TOKEN.exec(html) ?? []
    expect([await admitted(token), await admitted(old.token)]).toEqual([true, true])
    expect(text).toContain('keeps working only for the time you chose')
    const { successorId, expiresAt } = (await callboard.keys.find({ accountId: 'acme', id: old.id }))!
    expect(Math.round((expiresAt!.getTime() - Date.now()) / DAY_MS)).toBe(7)
    const page = await as().get(`/keys/${old.id}`)
    expect(page.text).toContain('Rotated. Switch to the new key:')
    expect(page.html).toContain(`href="/dashboard/keys/${successorId}"`)
    expect((await as().get('/keys')).text).toContain('Rotated replaced by the new key')
  })

  it('can end the old key at once, and hands its subscriptions over to the new key', async () => {
    const { as, hook, admitted, callboard } = await world()
    const subscription = await hook()
    const { html } = await as().post(`/keys/${subscription.confirmedBy}/rotate`, { overlap: 'none', expiry: '30' })
    const [token = ''] = TOKEN.exec(html) ?? []
    expect(await admitted(token)).toBe(true)
    expect((await as().get(`/keys/${subscription.confirmedBy}`)).text).toContain('The new key has taken over')
    const found = await callboard.subscriptions.find(subscription)
    expect(found).toMatchObject({ state: 'active' })
    expect((await as().get(`/keys/${found?.confirmedBy}`)).text).toContain('Active subscriptions 1')
  })

  it('happens once, however often the form is posted', async () => {
    const { as, issue, keys } = await world()
    const { id } = await issue()
    await as().post(`/keys/${id}/rotate`)
    const again = await as().post(`/keys/${id}/rotate`)
    expect([again.status, TOKEN.test(again.html)]).toEqual([409, false])
    expect(await keys()).toHaveLength(2)
  })
})

describe('revoking a key', () => {
  it('says how many subscriptions depend on the key, then revokes it and disables those subscriptions', async () => {
    const { as, hook, callboard } = await world()
    const subscription = await hook()
    const path = `/keys/${subscription.confirmedBy}`
    expect((await as().get(path)).text).toContain('1 active subscription depends on it and will be disabled.')
    const done = await as().post(`${path}/revoke`)
    expect([done.status, done.location]).toEqual([303, `/dashboard${path}?done=revoked`])
    const page = await as().get(`${path}?done=revoked`)
    expect(page.text).toContain('API key revoked. It no longer works.')
    expect(page.html).not.toContain('<form')
    expect(await callboard.subscriptions.find(subscription)).toMatchObject({ state: 'disabled', disabledReason: 'key' })
    expect((await as().post(`${path}/revoke`)).status).toBe(303)
  })

  it('says so if no subscription depends on the key', async () => {
    const { as, issue } = await world()
    const { id } = await issue()
    expect((await as().get(`/keys/${id}`)).text).toContain('No active subscription depends on it.')
  })
})
