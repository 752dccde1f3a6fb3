import { describe, expect, it } from 'vitest'
import { type AnnouncementInput, announcement } from './announcement.ts'

const input = (isNew: boolean, environment: Partial<AnnouncementInput['environment']> = {}): AnnouncementInput => ({
  url: 'http://localhost:8787',
  milliseconds: 1_234,
  platform: {
    place: 'embedded Postgres',
    adminToken: 'open-sesame',
    demoKey: { id: 'key_1', key: 'cb_live_shown', isNew },
    orders: isNew ? 0 : 3,
  },
  environment: {
    simulate: true,
    allowLoopbackTargets: true,
    retrySchedule: undefined,
    dataDir: '.data',
    adminToken: undefined,
    ...environment,
  },
})

describe('the announcement', () => {
  it('shows a new key, three commands to try, the URL of the events and how to subscribe', () => {
    const text = announcement(input(true))
    expect(text).toContain('ready on http://localhost:8787 after 1.2 s')
    expect(text.match(/^ +curl .+$/gm)).toHaveLength(4)
    expect(text).toContain('  cb_live_shown\n')
    expect(text).toContain('GET http://localhost:8787/v1/events, with the key\n')
    const [, body = ''] = /POST http:\/\/localhost:8787\/v1\/webhooks\/subscriptions (.+)/.exec(text) ?? []
    expect(Object.keys(JSON.parse(body))).toEqual(['targetUrl', 'eventTypes', 'integration'])
    expect(text).toContain('npm run demo:receiver')
    expect(text).toContain('open-sesame')
  })

  it('shows the URL of the dashboard, and how to fix the automation that fails on purpose', () => {
    const text = announcement(input(true))
    expect(text).toContain('Dashboard    http://localhost:8787/dashboard\n')
    expect(text).toContain('POST http://localhost:8787/demo/automations/newsletter/mend')
    expect(announcement(input(true, { simulate: false }))).not.toContain('automations')
  })

  it('mentions the key and the orders of earlier runs, but does not show the key', () => {
    const text = announcement(input(false))
    expect(text).not.toContain('cb_live_shown')
    expect(text).toContain('key_1')
    expect(text).toContain('found 3 orders from earlier starts')
  })

  it('shows which settings are in effect', () => {
    expect(announcement(input(true))).toMatch(/loopback addresses are ALLOWED.+ALLOW_LOOPBACK_TARGETS=0/)
    const text = announcement(
      input(true, { allowLoopbackTargets: false, simulate: false, retrySchedule: [500, 2_000] }),
    )
    expect(text).toContain('public addresses only')
    expect(text).toContain('0.5 s, 2 s')
    expect(text).toContain('off (SIMULATE=0)')
  })
})
