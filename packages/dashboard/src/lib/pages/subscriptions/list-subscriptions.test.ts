import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { tryDeliveries } from '../../../../test/try-deliveries.ts'

const HOUR_MS = 3_600_000

/** One that answers 500 for two hours, one that works, and one that the platform disabled. */
async function world() {
  const opened = await openDashboard()
  const { callboard, hook, publish, advance } = opened
  const broken = await hook({ targetUrl: 'https://broken.example/hook', externalRef: 'zap-broken' })
  const id = await publish()
  await tryDeliveries(callboard, { [id]: { outcome: 'failed', status: 500 } })
  const healthy = await hook({
    targetUrl: 'https://healthy.example/hook',
    integration: 'n8n',
    eventTypes: ['event.published'],
  })
  const off = await hook({ targetUrl: 'https://off.example/hook', integration: 'other' })
  await callboard.subscriptions.disable(off, { by: 'platform' })
  advance(2 * HOUR_MS)
  const subject = { type: 'event', id: 'evn_1' }
  const said = await callboard.publish({
    accountId: 'acme',
    type: 'event.published',
    subject,
    data: { event: { id: 'evn_1' } } as never,
  })
  await tryDeliveries(callboard, { [id]: { outcome: 'failed', status: 500 }, [said.id]: { status: 204 } })
  return { ...opened, broken, healthy, off }
}

describe('the list of subscriptions', () => {
  it('says what fails, why and since when, and how the others stand', async () => {
    const { as } = await world()
    const { text } = await as().get('/subscriptions')
    expect(text).toContain('broken.example/hook Failing 500 Internal Server Error, for 2 hours')
    expect(text).toContain('healthy.example/hook Active')
    expect(text).toContain('off.example/hook Disabled The platform disabled it')
    for (const said of ['Managed by Zapier', 'Managed by n8n', 'Managed through the API', '100% delivered'])
      expect(text).toContain(said)
  })

  it('counts what fails in its title and in links that narrow it', async () => {
    const { as } = await world()
    const { html, text } = await as().get('/subscriptions')
    expect(html).toContain('<title>Subscriptions (1 failing)')
    expect(text).toMatch(/All ?3 .*Failing ?1 .*Disabled ?1/)
    const failing = await as().get('/subscriptions?state=failing')
    expect(hosts(failing.html)).toEqual(['broken.example'])
    expect(hosts((await as().get('/subscriptions?state=disabled')).html)).toEqual(['off.example'])
  })

  it('finds by a part of address, external reference or integration, and keeps the state beside it', async () => {
    const { as } = await world()
    const found = async (query: string) => hosts((await as().get(`/subscriptions?${query}`)).html)
    expect(await found('search=ZAP-BRO')).toEqual(['broken.example'])
    expect(await found('search=healthy.ex')).toEqual(['healthy.example'])
    expect(await found('search=hook&state=disabled')).toEqual(['off.example'])
    expect((await as().get('/subscriptions?search=%25')).text).toContain('Nothing found')
    expect((await as().get('/subscriptions?state=failing&search=x')).html).toContain('name="state" value="failing"')
  })

  it('goes on by cursors of its own, and says on each page that something fails on another', async () => {
    const { as, hook } = await world()
    for (let made = 0; made < 25; made++) await hook({ targetUrl: `https://a${made}.example/` })
    const { html, text } = await as().get('/subscriptions')
    expect(hosts(html)).toHaveLength(25)
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
      expect([status, said.includes('Show the newest')], wrong).toEqual([400, true])
    }
  })

  it('tells a new account what to do, and each only what they may', async () => {
    const { as } = await openDashboard()
    expect((await as().get('/subscriptions')).text).toContain(
      'Switch an automation on in Zapier, Make, or n8n, and it appears here; or have events sent to an address of your own',
    )
    const reader = await as({ can: ['webhooks.read'] }).get('/subscriptions')
    expect(reader.text).not.toContain('address of your own')
    expect(reader.html).not.toContain('/subscriptions/new')
  })

  it('shows those of the viewer’s account alone', async () => {
    const { as } = await world()
    expect((await as({ accountId: 'globex' }).get('/subscriptions')).text).toContain('No subscriptions yet')
  })
})

function hosts(html: string): string[] {
  return [...html.matchAll(/class="target-host">([^<]*)</g)].map(([, host = '']) => host)
}
