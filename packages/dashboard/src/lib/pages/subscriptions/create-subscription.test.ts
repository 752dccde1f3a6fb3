import { describe, expect, it } from 'vitest'
import { openDashboard, type Somebody } from '../../../../test/dashboard-world.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`
const FORM = { targetUrl: 'https://hooks.example.com/1', description: 'Books', eventTypes: ['order.paid'] }

/** The form as it is shown, with what is hidden in it. */
async function once(somebody: Somebody): Promise<string> {
  const [, value = ''] = /name="once" value="([^"]+)"/.exec((await somebody.get('/subscriptions/new')).html) ?? []
  return value
}

describe('creating a subscription', () => {
  it('offers the event types in families, with their descriptions and samples', async () => {
    const { as } = await openDashboard({
      describe: (key) => (key === 'events.order.paid' ? 'Somebody paid.' : undefined),
    })
    const { text, html } = await as().get('/subscriptions/new')
    expect(text).toMatch(
      /Orders order\.paid Somebody paid\. Sample of order\.paid .*ada@example\.com.*Events event\.published/,
    )
    expect(html).toContain('data-check="/dashboard/subscriptions/check-target"')
  })

  it('shows the secret once, with how to verify by it, and it is nowhere afterwards', async () => {
    const { as, callboard } = await openDashboard()
    const made = await as().post('/subscriptions/new', { ...FORM, once: await once(as()) })
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const [secret = ''] = /whsec_[A-Za-z0-9+/=]+/.exec(made.text) ?? []
    expect(secret).not.toBe('')
    expect(made.text).toContain('it is not shown again')
    expect(made.html.match(/WEBHOOK_SECRET/g)?.length).toBeGreaterThan(5)

    const [subscription] = await callboard.subscriptions.list({ accountId: 'acme' })
    expect(subscription).toMatchObject({ ...FORM, source: 'dashboard', personalData: false })
    for (const path of [
      '/subscriptions',
      `/subscriptions/${subscription?.id}`,
      `/subscriptions/${subscription?.id}/edit`,
    ])
      expect((await as().get(path)).html, path).not.toContain(secret)
  })

  it('creates one when the same form is posted twice: by two clicks, or by loading the page again', async () => {
    const { as, callboard } = await openDashboard()
    const form = { ...FORM, once: await once(as()) }
    const pages = [
      ...(await Promise.all([as().post('/subscriptions/new', form), as().post('/subscriptions/new', form)])),
    ]
    pages.push(await as().post('/subscriptions/new', form))
    expect(new Set(pages.map(({ text }) => /whsec_\S+/.exec(text)?.[0])).size).toBe(1)
    expect(await callboard.subscriptions.list({ accountId: 'acme' })).toHaveLength(1)

    await as().post('/subscriptions/new', { ...form, targetUrl: 'https://hooks.example.com/2' })
    await as().post('/subscriptions/new', { ...form, once: await once(as()) })
    expect(await callboard.subscriptions.list({ accountId: 'acme' })).toHaveLength(3)
  })

  it('gives the form back as it was filled in, with what is wrong beside each field', async () => {
    const { as, callboard } = await openDashboard()
    const wrong = { targetUrl: `http://10.0.0.1/${HOSTILE}`, description: `${HOSTILE}\u0007`, eventTypes: 'order.lost' }
    const { status, html, text } = await as().post('/subscriptions/new', { ...wrong, personalData: 'on' })
    expect(status).toBe(400)
    expect(text).toContain('Use a public https:// address')
    expect(text).toContain('The name must not contain control characters')
    expect(text).toContain('is not offered any more')
    for (const field of ['targetUrl', 'description', 'eventTypes']) expect(html).toContain(`href="#field-${field}"`)
    expect(html).toContain('http://10.0.0.1/&lt;script')
    expect(html.replace(/<script type="module"/, '')).not.toContain('<script')
    expect(html).toMatch(/name="personalData"[^>]*checked/)
    expect((await as().post('/subscriptions/new', { ...FORM, eventTypes: [] })).text).toContain(
      'Choose 1 to 50 events.',
    )
    expect(await callboard.subscriptions.list({ accountId: 'acme' })).toHaveLength(0)
  })

  it('says kindly that the account has reached its limit, and keeps the form', async () => {
    const { as, hook } = await openDashboard({ maxSubscriptions: 1 })
    await hook()
    const { status, text, html } = await as().post('/subscriptions/new', FORM)
    expect(status).toBe(409)
    expect(text).toContain('Your account has reached its limit of subscriptions')
    expect(html).toContain('value="https://hooks.example.com/1"')
  })

  it('sends personal data only where somebody who may see it has ticked that', async () => {
    const { as, callboard } = await openDashboard()
    const reader = as({ can: ['webhooks.read', 'webhooks.write'] })
    expect((await reader.get('/subscriptions/new')).html).not.toContain('name="personalData"')
    expect((await as().get('/subscriptions/new')).text).toContain(
      'Without it they are taken out before anything is sent.',
    )
    await reader.post('/subscriptions/new', { ...FORM, personalData: 'on' })
    await as().post('/subscriptions/new', { ...FORM, personalData: 'on' })
    const choices = (await callboard.subscriptions.list({ accountId: 'acme' })).map(({ personalData }) => personalData)
    expect(choices).toEqual([true, false])
  })

  it('tells while somebody types whether an address would be taken', async () => {
    const { as } = await openDashboard()
    const check = async (targetUrl: string): Promise<unknown> =>
      JSON.parse((await as().post('/subscriptions/check-target', { targetUrl })).html)
    expect(await check('https://hooks.example.com/1')).toEqual({ ok: true })
    expect(await check('https://10.0.0.1/')).toEqual({
      ok: false,
      message: expect.stringMatching(/^Use a public/),
    })
  })
})
