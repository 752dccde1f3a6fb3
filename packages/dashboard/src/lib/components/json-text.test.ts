import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prettyJson } from './json-text.ts'

describe('JSON for people', () => {
  it('is indented as JSON.stringify does it, whatever is in it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text)
        expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2))
      }),
    )
  })

  it('keeps numbers, escapes, order and repeats as they were written', () => {
    expect(prettyJson('{"b":1.50,"a":12345678901234567890,"a":"\\u00e9 \\" {"}')).toBe(
      '{\n  "b": 1.50,\n  "a": 12345678901234567890,\n  "a": "\\u00e9 \\" {"\n}',
    )
  })

  it('leaves as it is what is no JSON', () => {
    for (const text of ['<html>{"a":1}', '', '{"a":', 'plain']) expect(prettyJson(text)).toBe(text)
  })
})
