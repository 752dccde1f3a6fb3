import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const HOUR_MS = 3_600_000

/**
 * Creates a subscription whose target has returned 500 for two hours, a healthy subscription, and a subscription that
 * the platform disabled.
 */
async function world() {
  const opened = await openDashboard()
  const { callboard, hook, publish, advance } = opened
  const broken = await hook({ targetUrl: 'https://broken.example/hook', externalRef: 'zap-broken' })
  const id = await publish()
  await attemptDeliveries(callboard, { [id]: { outcome: 'failed', status: 500 } })
  const healthy = await hook({
    targetUrl: 'https://healthy.example/hook',
    integration: 'n8n',
    eventTypes: ['event.published'],
  })
  const off = await hook({ targetUrl: 'https://off.example/hook', integration: 'other' })
  await callboard.subscriptions.disable({ ...off, by: 'platform' })
  advance(2 * HOUR_MS)
  const subject = { type: 'event', id: 'evn_1' }
  const said = await callboard.publish({
    accountId: 'acme',
    type: 'event.published',
    subject,
    data: { event: { id: 'evn_1' } } as never,
  })
  await attemptDeliveries(callboard, { [id]: { outcome: 'failed', status: 500 }, [said.id]: { status: 204 } })
  return { ...opened, broken, healthy, off }
}

describe('the list of subscriptions', () => {
  it('shows which subscriptions fail, why and for how long, and the state of all other subscriptions', async () => {
    const { as } = await world()
    const { text } = await as().get('/subscriptions')
    expect(text).toContain('broken.example/hook Failing for 2 hours: 500 Internal Server Error')
    expect(text).toContain('healthy.example/hook Active')
    expect(text).toContain('off.example/hook Disabled The platform disabled it')
    for (const said of ['Zapier', 'n8n', 'order.paid API', '100%']) expect(text).toContain(said)
  })

  it('counts failing subscriptions in its title and in its filter links', async () => {
    const { as } = await world()
    const { html, text } = await as().get('/subscriptions')
    expect(html).toContain('<title>Subscriptions (1 failing)')
    expect(text).toMatch(/All ?3 .*Failing ?1 .*Disabled ?1/)
    const failing = await as().get('/subscriptions?state=failing')
    expect(hosts(failing.html)).toEqual(['broken.example'])
    expect(hosts((await as().get('/subscriptions?state=disabled')).html)).toEqual(['off.example'])
  })

  it('searches the subscriptions in the chosen state by target, external reference and integration', async () => {
    const { as } = await world()
    const found = async (query: string) => hosts((await as().get(`/subscriptions?${query}`)).html)
    expect(await found('search=ZAP-BRO')).toEqual(['broken.example'])
    expect(await found('search=healthy.ex')).toEqual(['healthy.example'])
    expect(await found('search=hook&state=disabled')).toEqual(['off.example'])
    expect((await as().get('/subscriptions?search=%25')).text).toContain('No matching subscriptions')
    expect((await as().get('/subscriptions?state=failing&search=x')).html).toContain('name="state" value="failing"')
  })

  it('says that a subscription on another page is failing, and refuses invalid cursors and filters', async () => {
    const { as, hook } = await world()
    for (let index = 0; index < 25; index++) await hook({ targetUrl: `https://a${index}.example/` })
    const { html, text } = await as().get('/subscriptions')
    expect(hosts(html)).toHaveLength(20)
    expect(text).toContain('One subscription is failing')
    const [, next = ''] = /href="(\?cursor=[^"]+)"/.exec(html) ?? []
    const older = await as().get(`/subscriptions${next.replaceAll('&amp;', '&')}`)
    expect(new Set([...hosts(html), ...hosts(older.html)]).size).toBe(28)
    expect(hosts(older.html)).toContain('broken.example')
    expect(older.text).not.toContain('One subscription is failing')
    for (const wrong of [
      `${next}&state=failing`,
      '?cursor=x',
      '?state=nonsense',
      `?search=${'x'.repeat(300)}`,
      '?search=%00',
    ]) {
      const { status, text: said } = await as().get(`/subscriptions${wrong.replaceAll('&amp;', '&')}`)
      expect([status, said.includes('Show newest')], wrong).toEqual([400, true])
    }
  })

  it('tells a new account what to do, depending on permissions', async () => {
    const { as } = await openDashboard()
    expect((await as().get('/subscriptions')).text).toContain(
      'Turn on an automation in Zapier, Make, or n8n, and it appears here. You can also create a subscription yourself.',
    )
    const reader = await as({ can: ['webhooks.read'] }).get('/subscriptions')
    expect(reader.text).not.toContain('create a subscription')
    expect(reader.html).not.toContain('/subscriptions/new')
  })

  it('shows only subscriptions of the viewer’s account', async () => {
    const { as } = await world()
    expect((await as({ accountId: 'globex' }).get('/subscriptions')).text).toContain('No subscriptions yet')
  })
})

function hosts(html: string): string[] {
  return [...html.matchAll(/class="target-host">([^<]*)</g)].map(([, host = '']) => host)
}
