import { expect, it } from 'vitest'
import { nameColumn } from './subscription-names.ts'

it('tells subscriptions with the same name apart by their targets, without the query', () => {
  const none = { description: undefined, externalRef: undefined }
  const rows = [
    { ...none, description: 'CRM', targetUrl: 'https://one.example/a?token=1' },
    { ...none, description: 'CRM', targetUrl: 'https://two.example/' },
    { ...none, externalRef: 'zap_7', targetUrl: 'https://three.example/c' },
    { ...none, targetUrl: 'https://four.example:8443/d?token=1' },
    { ...none, targetUrl: 'https://four.example:8443/d?token=2' },
  ]
  expect(rows.map(nameColumn(rows))).toEqual([
    'CRM (one.example/a)',
    'CRM (two.example)',
    'zap_7',
    'four.example:8443/d',
    'four.example:8443/d',
  ])
})
