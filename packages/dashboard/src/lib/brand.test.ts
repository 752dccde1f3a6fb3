import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../test/dashboard-world.ts'
import type { DashboardBrand } from './brand.ts'

const brand = {
  name: 'Harbour Tickets',
  home: '/home',
  support: 'mailto:help@harbour.example',
  docs: 'https://harbour.example/docs',
  receiving: { guide: 'https://harbour.example/docs/receiving' },
} as const satisfies DashboardBrand

describe('a dashboard with a brand', () => {
  it('says the product’s name in its header and titles, and links to its docs and support', async () => {
    const { as } = await openDashboard({ brand })
    const { html } = await as().get('/overview')
    expect(html).toContain('<title>Overview · Harbour Tickets</title>')
    expect(html).toContain('<a class="brand" href="/home">Harbour Tickets</a>')
    expect(html).toContain('<a href="https://harbour.example/docs">API documentation</a>')
    expect(html).toContain('<a href="mailto:help@harbour.example">Contact support</a>')
  })

  it('shows the logo in place of the name', async () => {
    const { as } = await openDashboard({ brand: { name: 'Harbour', logo: '/logo.svg' } })
    expect((await as().get('/overview')).html).toContain(
      '<span class="brand"><img src="/logo.svg" alt="Harbour" height="24"/></span>',
    )
  })

  it('offers support where only the platform can enable a subscription', async () => {
    const { as, callboard, hook } = await openDashboard({ brand })
    const subscription = await hook()
    const button = '<a class="button" href="mailto:help@harbour.example">Contact support</a>'
    const paths = [`/subscriptions/${subscription.id}`, '/overview']
    for (const path of paths) expect((await as().get(path)).html).not.toContain(button)
    await callboard.subscriptions.disable({ ...subscription, by: 'platform' })
    for (const path of paths) expect((await as().get(path)).html, path).toContain(button)
  })

  it('offers support on the page for an error', async () => {
    const { as } = await openDashboard({ brand })
    expect((await as().get('/nowhere')).html).toContain(
      '<a class="button" href="mailto:help@harbour.example">Contact support</a>',
    )
  })

  it('shows the platform’s own words and code for receiving deliveries', async () => {
    const snippets = [{ name: 'Node', code: 'await harbour.verify(request)' }]
    const receiving = { ...brand.receiving, snippets }
    const { as, callboard } = await openDashboard({ brand: { ...brand, receiving } })
    const own = { accountId: 'acme', targetUrl: 'https://hooks.example.com/own', eventTypes: ['order.paid'] }
    const { id } = await callboard.subscriptions.create(own)
    const { html } = await as().get(`/subscriptions/${id}`)
    expect(html).toContain('await harbour.verify(request)')
    expect(html).not.toContain('standardwebhooks')
    expect(html).toContain('<a href="https://harbour.example/docs/receiving">How to receive deliveries</a>')
  })

  it('never names Callboard to a viewer', async () => {
    const { as, callboard, publish } = await openDashboard({ brand, headerNames: { userAgent: 'Harbour/1' } })
    const own = { accountId: 'acme', targetUrl: 'https://hooks.example.com/own', eventTypes: ['order.paid'] }
    const { id } = await callboard.subscriptions.create(own)
    const eventId = await publish()
    const pages = ['/overview', '/subscriptions', `/subscriptions/${id}`, '/events', `/events/${eventId}`, '/keys']
    for (const path of [...pages, '/audit', '/nowhere', `/subscriptions/${id}/deliveries/${eventId}`]) {
      const { status, text } = await as().get(path)
      expect(status, path).toBe(path === '/nowhere' ? 404 : 200)
      expect(text, path).not.toMatch(/callboard/i)
    }
  })

  it.each<[string, DashboardBrand]>([
    ['brand.name', { name: ' ' }],
    ['brand.logo', { name: 'A', logo: 'https://cdn.example/logo.svg' }],
    ['brand.home', { name: 'A', home: 'javascript:alert(1)' }],
    ['brand.support', { name: 'A', support: '//evil.example' }],
    ['brand.logo', { name: 'A', logo: '/\\evil.example/logo.svg' }],
    ['brand.docs', { name: 'A', docs: '/\t/evil.example' }],
    ['brand.receiving.guide', { name: 'A', receiving: { guide: 'guide' } }],
  ])('is refused if a link or image cannot be used: %s', async (field, wrong) => {
    const { as } = await openDashboard({ brand: wrong })
    expect(() => as()).toThrow(field)
  })
})
