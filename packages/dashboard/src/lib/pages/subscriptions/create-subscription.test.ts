import { describe, expect, it } from 'vitest'
import { openDashboard, type Somebody } from '../../../../test/dashboard-world.ts'
import { german } from '../../../german.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`
const FORM = { targetUrl: 'https://hooks.example.com/1', description: 'Books', eventTypes: ['order.paid'] }

/** Loads the form for a new subscription, and returns its hidden idempotency key. */
async function once(somebody: Somebody): Promise<string> {
  const [, value = ''] = /name="once" value="([^"]+)"/.exec((await somebody.get('/subscriptions/new')).html) ?? []
  return value
}

describe('creating a subscription', () => {
  it('offers the event types by family, with their titles, descriptions and samples', async () => {
    const { as } = await openDashboard({
      describe: (key) => (key === 'events.order.paid' ? 'Somebody paid.' : undefined),
    })
    const { text, html } = await as().get('/subscriptions/new')
    expect(text).toMatch(
      /Orders order\.paid Somebody paid\. Sample of order\.paid .*ada@example\.com.*Events Event on sale event\.published Tickets can be bought from now on\./,
    )
    expect(html).toContain('data-check="/dashboard/subscriptions/check-target"')
  })

  it('offers them by the titles, descriptions and families that the platform translates', async () => {
    const { as } = await openDashboard({
      texts: german,
      describe: (key) =>
        key === 'events.order.paid'
          ? { title: 'Bestellung bezahlt', description: 'Jemand hat bezahlt.', family: 'Bestellungen' }
          : undefined,
    })
    const { text } = await as().get('/subscriptions/new')
    expect(text).toContain('Bestellungen Bestellung bezahlt order.paid Jemand hat bezahlt. ')
    expect(text).toContain('Events Event on sale event.published Tickets can be bought from now on.')
    expect(text).not.toContain('Orders')
  })

  it('shows the secret once, with code that verifies deliveries, and never again', async () => {
    const { as, callboard } = await openDashboard()
    const created = await as().post('/subscriptions/new', { ...FORM, once: await once(as()) })
    expect([created.status, created.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const [secret = ''] = /whsec_[A-Za-z0-9+/=]+/.exec(created.text) ?? []
    expect(secret).not.toBe('')
    expect(created.text).toContain('It will not be shown again')
    expect(created.html.match(/WEBHOOK_SECRET/g)?.length).toBeGreaterThan(5)

    const [subscription] = await callboard.subscriptions.list({ accountId: 'acme' })
    expect(subscription).toMatchObject({ ...FORM, source: 'dashboard', personalData: false })
    for (const path of [
      '/subscriptions',
      `/subscriptions/${subscription?.id}`,
      `/subscriptions/${subscription?.id}/edit`,
    ])
      expect((await as().get(path)).html, path).not.toContain(secret)
  })

  it('creates one subscription if the same form is posted twice, by two clicks or by a reload', async () => {
    const { as, callboard } = await openDashboard()
    const form = { ...FORM, once: await once(as()) }
    const clicks = await Promise.all([as().post('/subscriptions/new', form), as().post('/subscriptions/new', form)])
    const reloaded = await as().post('/subscriptions/new', form)
    const shown = [...clicks, reloaded].filter(({ html }) => html.includes('whsec_'))
    expect(shown, 'the secret is shown once').toHaveLength(1)
    const [{ id } = { id: '' }] = await callboard.subscriptions.list({ accountId: 'acme' })
    expect([reloaded.status, reloaded.html.includes(`href="/dashboard/subscriptions/${id}"`)]).toEqual([409, true])
    expect(reloaded.text).toContain('Its secret is shown only once')
    expect(await callboard.subscriptions.list({ accountId: 'acme' })).toHaveLength(1)

    await as().post('/subscriptions/new', { ...form, targetUrl: 'https://hooks.example.com/2' })
    await as().post('/subscriptions/new', { ...form, once: await once(as()) })
    expect(await callboard.subscriptions.list({ accountId: 'acme' })).toHaveLength(3)
  })

  it('returns the form with the entered values, and an error at each wrong field', async () => {
    const { as, callboard } = await openDashboard()
    const wrong = { targetUrl: `http://10.0.0.1/${HOSTILE}`, description: `${HOSTILE}\u0007`, eventTypes: 'order.lost' }
    const { status, html, text } = await as().post('/subscriptions/new', { ...wrong, personalData: 'on' })
    expect(status).toBe(400)
    expect(text).toContain('Use a public https:// URL')
    expect(text).toContain('The name must not contain control characters')
    expect(text).toContain('is no longer offered')
    for (const field of ['targetUrl', 'description', 'eventTypes']) expect(html).toContain(`href="#field-${field}"`)
    expect(html).toContain('http://10.0.0.1/&lt;script')
    expect(html.replace(/<script type="module"/, '')).not.toContain('<script')
    expect(html).toMatch(/name="personalData"[^>]*checked/)
    expect((await as().post('/subscriptions/new', { ...FORM, eventTypes: [] })).text).toContain(
      'Choose 1 to 50 event types.',
    )
    expect(await callboard.subscriptions.list({ accountId: 'acme' })).toHaveLength(0)
  })

  it('says that the account has reached its limit, and keeps the entered values', async () => {
    const { as, hook } = await openDashboard({ maxSubscriptions: 1 })
    await hook()
    const { status, text, html } = await as().post('/subscriptions/new', FORM)
    expect(status).toBe(409)
    expect(text).toContain('Your account has reached its subscription limit')
    expect(html).toContain('value="https://hooks.example.com/1"')
  })

  it('says how long to wait after too many new subscriptions, and keeps the entered values', async () => {
    const { as, hook } = await openDashboard({ maxNewSubscriptionsPerMinute: 1 })
    await hook()
    const { status, text, html } = await as().post('/subscriptions/new', FORM)
    expect(status).toBe(429)
    expect(text).toMatch(/too many subscriptions within a minute Wait (60|5\d) seconds\./)
    expect(html).toContain('value="https://hooks.example.com/1"')
  })

  it('sends personal data only if a viewer who may see such data has selected it', async () => {
    const { as, callboard } = await openDashboard()
    const reader = as({ can: ['webhooks.read', 'webhooks.write'] })
    expect((await reader.get('/subscriptions/new')).html).not.toContain('name="personalData"')
    expect((await as().get('/subscriptions/new')).text).toContain('Otherwise they are removed before anything is sent.')
    await reader.post('/subscriptions/new', { ...FORM, personalData: 'on' })
    await as().post('/subscriptions/new', { ...FORM, personalData: 'on' })
    const choices = (await callboard.subscriptions.list({ accountId: 'acme' })).map(({ personalData }) => personalData)
    expect(choices).toEqual([true, false])
  })

  it('checks a target while it is typed', async () => {
    const { as } = await openDashboard()
    const check = async (targetUrl: string): Promise<unknown> =>
      JSON.parse((await as().post('/subscriptions/check-target', { targetUrl })).html)
    expect(await check('https://hooks.example.com/1')).toEqual({ ok: true, message: '✓ This target can be used.' })
    expect(await check('https://10.0.0.1/')).toEqual({
      ok: false,
      message: expect.stringMatching(/^Use a public/),
    })
  })
})
