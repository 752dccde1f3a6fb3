import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { attemptDeliveries } from '../../../../test/attempt-deliveries.ts'
import { openDashboard } from '../../../../test/dashboard-world.ts'
import { disableFor } from '../../../../test/disable-for.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`

describe('the list of an account’s events', () => {
  it('shows the newest events first, with their subjects', async () => {
    const { as, publish } = await openDashboard()
    const [first, second] = [await publish({ id: 'ord_a' }), await publish({ id: HOSTILE })]
    const { html, text } = await as().get('/events')
    expect(text.indexOf(second)).toBeGreaterThan(0)
    expect(text.indexOf(first)).toBeGreaterThan(text.indexOf(second))
    expect(text).toMatch(/order ord_a .* [AP]M/)
    expect(text).toContain(HOSTILE)
    expect(html.replace(/<script type="module"/g, '')).not.toContain('<script')
  })

  it('can be filtered by event type', async () => {
    const { as, publish } = await openDashboard()
    const id = await publish()
    expect((await as().get('/events?type=order.paid')).text).toContain(id)
    const none = await as().get('/events?type=event.published')
    expect(none.text).not.toContain(id)
    expect(none.text).toContain('There are no recent events of type event.published.')
  })

  it('shows how each event was delivered, to viewers who may see deliveries', async () => {
    const { as, publish, hook, callboard } = await openDashboard()
    const before = await publish()
    await hook()
    await hook({ targetUrl: 'https://other.example/hook' })
    const [delivered, lost] = [await publish(), await publish({ id: 'ord_2' })]
    await attemptDeliveries(callboard, { [lost]: { outcome: 'exhausted', status: 500 } })
    const { html, text } = await as().get('/events')
    const row = (id: string): string => text.slice(text.indexOf(id)).split('order.paid')[0] ?? ''
    expect(row(delivered)).toContain('2 of 2 delivered')
    expect(row(lost)).toContain('0 of 2 delivered Exhausted ×2')
    expect(row(before)).toContain('no subscription')
    expect(html).toContain(`id="row-${lost}" class="row-danger"`)
    const without = await as({ can: ['events.read'] }).get('/events')
    expect(without.text).not.toContain('delivered')
    expect((await as({ can: ['events.read'] }).get('/events?deliveries=failing')).status).toBe(400)
  })

  it('does not count deliveries that were never due, such as those to a dead automation', async () => {
    const { as, publish, hook, callboard } = await openDashboard()
    await hook()
    const dead = await hook({ targetUrl: 'https://dead.example/hook' })
    const attempted = await publish()
    await attemptDeliveries(callboard, {}, { outcome: 'failed', status: 500 })
    await disableFor(callboard, dead, 'gone')
    const [delivered, lost] = [await publish(), await publish({ id: 'ord_2' })]
    await attemptDeliveries(callboard, { [lost]: { outcome: 'exhausted', status: 500 } })
    const { text } = await as().get('/events')
    const row = (id: string): string => text.slice(text.indexOf(id)).split('order.paid')[0] ?? ''
    expect(row(delivered)).toContain('1 of 1 delivered')
    expect(row(lost)).toContain('0 of 1 delivered')
    expect(row(attempted)).toContain('0 of 2 delivered Retrying ×1 · Disabled ×1')
  })

  it('finds events by id, subject, time and failing deliveries, with all filters in the address', async () => {
    const { as, publish, hook, callboard } = await openDashboard()
    await hook()
    const [first, second] = [await publish({ id: 'ord_1' }), await publish({ id: 'ord_2' })]
    await attemptDeliveries(callboard, { [second]: { outcome: 'failed', status: 500 } })
    const found = async (query: string) => {
      const { status, text } = await as({ timeZone: 'Asia/Tokyo' }).get(`/events?${query}`)
      expect([query, status]).toEqual([query, 200])
      return [first, second].filter((id) => text.includes(id))
    }
    expect(await found('')).toEqual([first, second])
    expect(await found(`search=${first}`)).toEqual([first])
    expect(await found('search=ord_2')).toEqual([second])
    expect(await found('search=+order+ord_2+')).toEqual([second])
    expect(await found('search=ord')).toEqual([])
    expect(await found('deliveries=failing')).toEqual([second])
    expect(await found('deliveries=failing&search=ord_1')).toEqual([])
    // The link means the same times wherever it is opened.
    const soon = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16)
    expect(await found(`to=${soon}&zone=UTC`)).toEqual([first, second])
    expect(await found(`from=${soon}&zone=UTC`)).toEqual([])
    expect(await found(`from=${soon}`)).toEqual([first, second])
    const { html } = await as({ timeZone: 'Asia/Tokyo' }).get('/events?from=2026-10-01T09:30&zone=UTC')
    expect(html).toContain('value="2026-10-01T18:30"')
    expect(html).toContain('name="zone" value="Asia/Tokyo"')
  })

  it('says so when nothing matches', async () => {
    const { as, publish } = await openDashboard()
    await publish()
    expect((await as().get('/events?search=ord_9')).text).toContain('No event matches the search and the filters.')
    expect((await as().get('/events?deliveries=failing')).text).toContain('No failing deliveries')
  })

  it('refuses invalid filters, invalid cursors, and cursors created for another account or other filters', async () => {
    const { as, publish } = await openDashboard()
    const ids: string[] = []
    for (let count = 0; count < 26; count++) ids.push(await publish())
    const { html, text } = await as().get('/events')
    expect(text).not.toContain(ids[0])
    const next = /rel="next" href="\?([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await as().get(`/events?${next}`)).text).toContain(ids[0])
    for (const query of [
      `type=order.paid&${next}`,
      'cursor=nonsense',
      'type=no.such',
      'type=%00',
      'from=x',
      'from=0000-01-01T00:00&zone=UTC',
      'from=0001-01-01T00:00&zone=Asia/Tokyo',
      'to=9999-12-31T23:59&zone=America/Los_Angeles',
      'deliveries=x',
      'from=2026-10-01T09:30&zone=x',
    ]) {
      const refused = await as().get(`/events?${query}`)
      expect([refused.status, refused.html.includes('href="/dashboard/events"')], query).toEqual([400, true])
    }
    expect((await as({ accountId: 'globex' }).get(`/events?${next}`)).status).toBe(400)
  })

  it('says what to expect when it is empty', async () => {
    expect((await (await openDashboard()).as().get('/events')).text).toContain('No events yet')
  })
})

describe('an event', () => {
  it('shows its envelope unchanged, and personal data only to viewers with permission', async () => {
    const { as, publish } = await openDashboard()
    const id = await publish()
    const full = await as().get(`/events/${id}`)
    expect(full.text).toContain('"email": "ada@example.com"')
    expect(full.text).toContain('"sequence": 1')
    const redacted = await as({ can: ['events.read', 'webhooks.read'] }).get(`/events/${id}`)
    expect(redacted.html).not.toContain('ada@example.com')
    expect(redacted.text).toContain('Personal data is hidden: you do not have permission to see it.')
  })

  it('shows its deliveries and their states, and has buttons to resend the deliveries', async () => {
    const { as, publish, hook, callboard } = await openDashboard()
    const [one, other] = [await hook(), await hook({ targetUrl: 'https://other.example/hook' })]
    const id = await publish()
    await attemptDeliveries(callboard, {}, { outcome: 'exhausted', status: 500 })
    const { html, text } = await as().get(`/events/${id}`)
    expect(text).toContain('hooks.zapier.com')
    expect(text).toMatch(/other\.example.*Exhausted 500 Internal Server Error/)
    for (const { id: subscription } of [one, other])
      expect(html).toContain(`href="/dashboard/subscriptions/${subscription}/deliveries/${id}"`)
    const resend = `/subscriptions/${one.id}/deliveries/${id}/resend`
    expect(html).toContain(`action="/dashboard${resend}"`)
    const { status, location } = await as().post(resend, { back: 'event' })
    expect([status, location]).toEqual([303, `/dashboard/events/${id}?done=scheduled`])
    expect((await as().get(`/events/${id}?done=scheduled`)).text).toContain('was queued to be resent')
    const eventless = as({ can: ['webhooks.read', 'webhooks.write'] })
    expect((await eventless.post(resend, { back: 'event' })).location).toBe(
      `/dashboard/subscriptions/${one.id}/deliveries/${id}?done=hastened`,
    )
  })

  it('says so when it has no deliveries', async () => {
    const { as, publish } = await openDashboard()
    expect((await as().get(`/events/${await publish()}`)).text).toContain('No deliveries')
  })

  it('shows no deliveries to viewers without permission', async () => {
    const { as, publish, hook } = await openDashboard()
    await hook()
    const { status, text } = await as({ can: ['events.read'] }).get(`/events/${await publish()}`)
    expect(status).toBe(200)
    expect(text).not.toContain('hooks.zapier.com')
    expect((await as({ can: ['webhooks.read'] }).get('/events')).status).toBe(403)
  })

  it('responds with 404 to another account and to an invalid or unknown id, and refuses a bad cursor', async () => {
    const { as, publish } = await openDashboard()
    const id = await publish()
    expect((await as({ accountId: 'globex' }).get(`/events/${id}`)).status).toBe(404)
    for (const unknown of [createId('evt'), 'evt_1', '%00', "'", createId('sub')])
      expect((await as().get(`/events/${unknown}`)).status, unknown).toBe(404)
    expect((await as().get(`/events/${id}?cursor=nonsense`)).status).toBe(400)
  })
})
