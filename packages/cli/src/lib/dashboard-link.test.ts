import { expect, it } from 'vitest'
import { dashboardLink } from './dashboard-link.ts'

const path = ['subscriptions', 'old/1']
const linkFrom = (dashboardUrl: Parameters<typeof dashboardLink>[0]['dashboardUrl']) =>
  dashboardLink({ dashboardUrl }, { accountId: 'acc_1' }, path)['dashboard']?.({})

it('leads to a page of the dashboard, whose address may differ between accounts', () => {
  expect(linkFrom('https://app.example/webhooks')).toBe('https://app.example/webhooks/subscriptions/old%2F1')
  expect(linkFrom('https://app.example')).toBe('https://app.example/subscriptions/old%2F1')
  const perAccount = linkFrom(({ accountId, mode }) => `https://admin.example/${accountId}/?mode=${mode}`)
  expect(perAccount).toBe('https://admin.example/acc_1/subscriptions/old%2F1?mode=live')
})

it('needs a whole URL, and is left out without one', () => {
  expect(() => linkFrom('app.example')).toThrow('such as https://app.example/webhooks')
  expect(linkFrom(undefined)).toBeUndefined()
})
