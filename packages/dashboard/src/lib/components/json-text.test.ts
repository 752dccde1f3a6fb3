import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prettyJson } from './json-text.ts'

describe('prettyJson', () => {
  it('indents any JSON as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        const value: unknown = JSON.parse(text)
        expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2))
      }),
    )
  })

  it('keeps numbers, escapes, key order and duplicate keys as written', () => {
    expect(prettyJson('{"b":1.50,"a":12345678901234567890,"a":"\\u00e9 \\" {"}')).toBe(
      '{\n  "b": 1.50,\n  "a": 12345678901234567890,\n  "a": "\\u00e9 \\" {"\n}',
    )
  })

  it('returns text that is not JSON unchanged', () => {
    for (const text of ['<html>{"a":1}', '', '{"a":', 'plain']) expect(prettyJson(text)).toBe(text)
  })

  it('does not make JSON much longer, however deeply it is nested', () => {
    const deepest = '['.repeat(32) + ']'.repeat(32)
    expect(prettyJson(deepest)).toBe(JSON.stringify(JSON.parse(deepest), undefined, 2))
    const deep = '['.repeat(2_000) + ']'.repeat(2_000)
    expect(prettyJson(deep).length).toBe(deep.length)
    const wide = `[${Array.from({ length: 240 }, () => '['.repeat(31) + ']'.repeat(31)).join()}]`
    expect(prettyJson(wide).length).toBeLessThan(wide.length * 64)
  })
})
