import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../test/dashboard-world.ts'

describe('the name of a subscription', () => {
  it('is its description, otherwise its external reference, otherwise the host and path of its target', async () => {
    const { as, callboard, hook } = await openDashboard()
    await hook({ targetUrl: 'https://one.example/a?token=hidden' })
    await hook({ targetUrl: 'https://two.example/b?token=hidden', externalRef: 'zap_7' })
    const own = { accountId: 'acme', targetUrl: 'https://three.example/c?token=hidden', eventTypes: ['order.paid'] }
    await callboard.subscriptions.create({ ...own, description: 'Books' })
    const { text } = await as().get('/subscriptions')
    for (const shown of ['one.example/a Active', 'zap_7 two.example/b Active', 'Books three.example/c Active'])
      expect(text).toContain(shown)
    expect(text).not.toContain('hidden')
  })

  it('is on every page, in tables with the target below it', async () => {
    const { as, callboard, hook, publish } = await openDashboard()
    const [one] = await Promise.all(
      ['https://one.example/a', 'https://other.example/b'].map((targetUrl) =>
        hook({ targetUrl, externalRef: 'zap_7' }),
      ),
    )
    const event = await publish()
    await attemptDeliveries(callboard, {}, { outcome: 'failed', status: 500 })
    const at = `/subscriptions/${one?.id}`
    for (const path of ['/overview', '/subscriptions', `/events/${event}`]) {
      const { text } = await as().get(path)
      for (const shown of ['zap_7 one.example/a ', 'zap_7 other.example/b ']) expect(text, path).toContain(shown)
    }
    expect((await as().get(at)).html).toContain('<title>zap_7 · Webhooks</title>')
    expect((await as().get(`${at}/deliveries`)).html).toContain('<title>Deliveries to zap_7 · Webhooks</title>')
    expect((await as().get(`${at}/deliveries`)).text).toMatch(/zap_7 Deliveries To one\.example\/a, newest first/)
    expect((await as().get(`${at}/deliveries/${event}`)).text).toContain('Subscription zap_7 one.example/a')
    expect((await as().get(`${at}/resend`)).html).toContain('<title>Resend deliveries to zap_7 · Webhooks</title>')
  })

  it('heads the question before an action, and shows invisible characters also in the title of the tab', async () => {
    const { as, callboard } = await openDashboard()
    const own = { accountId: 'acme', targetUrl: 'https://example.com/', eventTypes: ['order.paid'] }
    const { id } = await callboard.subscriptions.create({ ...own, description: 'Books\u202eskoob' })
    const { html, text } = await as().get(`/subscriptions/${id}`)
    expect(text).toContain('BooksU+202Eskoob Nothing more is sent to its target')
    expect(html).toContain('<title>Books\ufffdskoob · Webhooks</title>')
  })
})
