import type { Issue } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { openDashboard } from '../../../test/dashboard-world.ts'
import { english } from '../texts/english.ts'
import { inWords } from './issue-words.ts'
import { issueWords } from './subscriptions/subscription-form.ts'

const call = { texts: english }
const FORM = { targetUrl: 'https://hooks.example.com/1', description: 'Books', eventTypes: 'order.paid' }

describe('the message for a field', () => {
  it('depends only on the path and the code, not on core’s message', () => {
    const issues: Issue[] = [
      { path: 'targetUrl', code: 'TARGET', message: 'another text' },
      { path: 'eventTypes.3', code: 'UNKNOWN', message: 'another text' },
      { path: 'idempotencyKey', code: 'CHARACTERS', message: 'another text' },
    ]
    expect(inWords(call, issues, issueWords(call))).toEqual([
      { path: 'targetUrl', code: 'TARGET', message: expect.stringMatching(/^Use a public https:/) },
      { path: 'eventTypes.3', code: 'UNKNOWN', message: expect.stringMatching(/no longer offered/) },
      { path: 'idempotencyKey', code: 'CHARACTERS', message: expect.stringMatching(/^The form could not be read/) },
    ])
  })

  it('appears once if several entries of a list have the same problem', () => {
    const issue = (index: number): Issue => ({ path: `eventTypes.${index}`, code: 'UNKNOWN', message: `${index}` })
    expect(inWords(call, [issue(0), issue(1)], issueWords(call))).toHaveLength(1)
  })

  it('is core’s message if the form has none of its own', () => {
    const issue: Issue = { path: 'integration', code: 'UNKNOWN', message: 'as it was' }
    expect(inWords(call, [issue], issueWords(call))).toEqual([issue])
  })

  it.each([
    ['/subscriptions/new', { ...FORM, targetUrl: '' }],
    ['/subscriptions/new', { ...FORM, targetUrl: `https://example.com/${'a'.repeat(3_000)}` }],
    ['/subscriptions/new', { ...FORM, description: 'a'.repeat(256) }],
    ['/subscriptions/new', { ...FORM, description: 'a\u0007' }],
    ['/subscriptions/new', { ...FORM, eventTypes: [] }],
    ['/subscriptions/new', { ...FORM, eventTypes: Array.from({ length: 51 }, (_, index) => `type.${index}`) }],
    ['/subscriptions/new', { ...FORM, eventTypes: ['order.lost', 'order.gone'] }],
    ['/subscriptions/new', { ...FORM, once: '' }],
    ['/subscriptions/new', { ...FORM, once: 'a'.repeat(256) }],
    ['/keys/new', { name: '', scopes: 'webhooks.read' }],
    ['/keys/new', { name: 'a\u0007', scopes: 'webhooks.read' }],
  ])('never names an API field: %s, case %#', async (path, fields) => {
    const { as } = await openDashboard()
    const { status, text } = await as().post(path, fields)
    expect(status).toBe(400)
    expect(text).toMatch(/(?:There is a problem|No key was created) [A-Z]/)
    expect(text).not.toMatch(/targetUrl|eventTypes|idempotencyKey|(?<!The )name must|description must|GET \/v1/)
  })
})
