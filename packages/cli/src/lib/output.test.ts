import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { createOutput } from './output.ts'

it('prints a record as core returned it, with dates as ISO text and undefined as null', () => {
  const stream = new PassThrough({ encoding: 'utf8' })
  const out = createOutput(stream, () => true)
  const record = { id: 'key_1', createdAt: new Date(Date.UTC(2026, 10, 22, 8, 30)), revokedAt: undefined }
  out.list([record], {}, { nextCursor: null })
  const printed = { id: 'key_1', createdAt: '2026-11-22T08:30:00.000Z', revokedAt: null }
  expect(JSON.parse(String(stream.read()))).toEqual({ data: [printed], nextCursor: null })
})

it('escapes JSON that could control the terminal, without changing the text that programs parse', () => {
  const stream = new PassThrough({ encoding: 'utf8' })
  const out = createOutput(stream, () => true)
  const hostile = { response: '\u001b]0;a\u0007\u009b31m\u0085\u202egnp\u2028\u{e0041} Ünï 🎟️\n', none: null }
  out.document(hostile)
  out.ndjson(hostile)
  out.list([hostile], {})
  const text = String(stream.read())
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(text).toContain('Ünï 🎟')
  const [document, line, list] = text.split(/\n(?=\{)/)
  expect([document, line].map((json) => JSON.parse(json ?? ''))).toEqual([hostile, hostile])
  expect(JSON.parse(list ?? '')).toEqual({ data: [hostile] })
})
