import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../../test/dashboard-world.ts'

const HOSTILE = `<script>alert(1)</script>"'&{{7*7}}`

describe('the page of a subscription', () => {
  it('says what it is: target, events, who manages it, and what they call it', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook({ externalRef: 'zap-4711', eventTypes: ['order.paid', 'event.published'] })
    const { status, text } = await as().get(`/subscriptions/${id}`)
    expect(status).toBe(200)
    for (const said of [
      'https://hooks.zapier.com/hooks/1',
      'order.paid',
      'event.published',
      'Managed by Zapier',
      'zap-4711',
      'live',
      '2026-10-01',
      id,
    ])
      expect(text).toContain(said)
  })

  it('says of one that an integration manages where it is changed', async () => {
    const { as, hook } = await openDashboard()
    const zap = await as().get(`/subscriptions/${(await hook()).id}`)
    expect(zap.text).toContain('Managed by Zapier: switch the automation off or change it there.')
    const other = await as().get(`/subscriptions/${(await hook({ integration: 'other' })).id}`)
    expect(other.text).toContain('Managed through the API: the program that made it changes and removes it.')
  })

  it('shows what strangers wrote as text', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook({ externalRef: HOSTILE, targetUrl: 'https://a.example/<script>alert(1)</script>?q="\'>' })
    for (const path of ['/subscriptions', `/subscriptions/${id}`]) {
      const { html, text } = await as().get(path)
      expect(html.replace(/<script type="module"/g, '')).not.toContain('<script')
      if (path !== '/subscriptions') expect(text).toContain(HOSTILE)
    }
  })

  it('is not there for another account, nor where the id is none', async () => {
    const { as, hook } = await openDashboard()
    const { id } = await hook()
    expect((await as({ account: 'globex' }).get(`/subscriptions/${id}`)).status).toBe(404)
    for (const unknown of [createId('sub'), 'sub_', '%00', '..%2f', 'evt_1'])
      expect((await as().get(`/subscriptions/${unknown}`)).status, unknown).toBe(404)
  })
})
