import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../test/dashboard-world.ts'
import { zonedTime } from './time-zone.ts'

const zoneOf = (html: string): string | undefined => /<html[^>]* data-zone="([^"]+)"/.exec(html)?.[1]

describe('the time zone of a page', () => {
  it.each([
    ['the one that the platform states', 'Asia/Tokyo', 'callboard-zone=Europe/Berlin', 'Asia/Tokyo'],
    ['otherwise the browser’s, from its cookie', undefined, 'a=b; callboard-zone=Europe/Berlin; c=d', 'Europe/Berlin'],
    ['otherwise UTC', undefined, 'a=b', 'UTC'],
    ['UTC if the server knows neither of the two zones', 'Mars/Base', 'callboard-zone=Europe/Nowhere', 'UTC'],
    ['UTC if the cookie contains markup', undefined, 'callboard-zone="><b>', 'UTC'],
  ])('is %s', async (_, timeZone, cookie, zone) => {
    const { as } = await openDashboard()
    const { html, text } = await as({ timeZone }).get('/keys', { cookie })
    expect(zoneOf(html)).toBe(zone)
    expect(text).toContain(`Times are in ${zone}.`)
  })

  it('applies to all times on the page, and to the field for entering a time', async () => {
    const { as, hook } = await openDashboard()
    const { id, createdAt } = await hook()
    const viewer = as({ timeZone: 'Asia/Tokyo' })
    const options = { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Tokyo' } as const
    expect((await viewer.get(`/subscriptions/${id}`)).text).toContain(
      `Created ${createdAt.toLocaleString('en', options)}`,
    )
    const form = await viewer.get(`/subscriptions/${id}/resend`)
    expect(form.text).toContain('Time (Asia/Tokyo)')
    expect(form.html).toContain('<input type="hidden" name="zone" value="Asia/Tokyo"')
  })

  it('is requested from the script only if the platform states no zone and the page can be reloaded', async () => {
    const { as } = await openDashboard()
    const asked = 'data-zone-cookie="callboard-zone={zone}; path=/dashboard; '
    expect((await as().get('/keys')).html).toContain(asked)
    expect((await as({ timeZone: 'Asia/Tokyo' }).get('/keys')).html).not.toContain('data-zone-cookie')
    expect((await as().post('/keys/new')).html).not.toContain('data-zone-cookie')
  })
})

describe('a time that a viewer enters', () => {
  it.each([
    ['2026-10-01T09:30', 'UTC', '2026-10-01T09:30:00.000Z'],
    ['2026-10-01T09:30:15', 'Asia/Tokyo', '2026-10-01T00:30:15.000Z'],
    ['2026-10-01T09:30', 'America/New_York', '2026-10-01T13:30:00.000Z'],
    ['2026-01-01T00:10', 'Asia/Kathmandu', '2025-12-31T18:25:00.000Z'],
    ['2026-07-01T12:00', 'Europe/Berlin', '2026-07-01T10:00:00.000Z'],
    ['2026-12-01T12:00', 'Europe/Berlin', '2026-12-01T11:00:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'], // shown twice
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'], // skipped
    ['2026-03-29T03:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ])('%s in %s is %s', (local, zone, time) => {
    expect(zonedTime(local, zone)?.toISOString()).toBe(time)
  })

  it.each(['', 'yesterday', '2026-13-01T00:00', '0000-00-00T00:00', '2026-10-01T09:30Z'])(
    'is refused if it is “%s”',
    (local) => {
      expect(zonedTime(local, 'Europe/Berlin')).toBeUndefined()
    },
  )
})
