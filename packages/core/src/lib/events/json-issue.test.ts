import { describe, expect, it } from 'vitest'
import { jsonIssue } from './json-issue.ts'

const RULES = { maxBytes: 1_000, allowUnsafeText: false }

/** `levels` objects, each in the one before. */
function nested(levels: number): object {
  let data: object = {}
  for (let level = 1; level < levels; level++) data = { a: data }
  return data
}

function looped(): object {
  const data = { order: { lines: [{}] } }
  data.order.lines.push({ order: data.order })
  return data
}

/** An object of which each level is shared twice: 2^50 values in all. */
function shared(): object {
  let data: object = {}
  for (let level = 0; level < 50; level++) data = { a: data, b: data }
  return data
}

const throwing = {
  get secret(): string {
    throw new Error('ada@example.com')
  },
}
const unserialisable = {
  toJSON() {
    throw new Error('ada@example.com')
  },
}

describe('data that JSON cannot carry', () => {
  it.each<[string, unknown, string, string]>([
    ['a BigInt', { a: [{ b: 1n }] }, 'data.a.0.b', 'TYPE'],
    ['a function', { a: () => 1 }, 'data.a', 'TYPE'],
    ['a symbol', { a: Symbol('s') }, 'data.a', 'TYPE'],
    ['NaN', { a: Number.NaN }, 'data.a', 'TYPE'],
    ['Infinity', { a: [1, Number.POSITIVE_INFINITY] }, 'data.a.1', 'TYPE'],
    ['undefined in a list', { a: [undefined] }, 'data.a.0', 'TYPE'],
    ['a hole in a list', { a: Object.assign([1], { 2: 2 }) }, 'data.a.1', 'TYPE'],
    ['a Map', { a: new Map() }, 'data.a', 'TYPE'],
    ['a Set', { a: new Set() }, 'data.a', 'TYPE'],
    ['bytes', { a: new Uint8Array(2) }, 'data.a', 'TYPE'],
    ['an error', { a: new Error('e') }, 'data.a', 'TYPE'],
    ['a regular expression', { a: /x/ }, 'data.a', 'TYPE'],
    ['a promise', { a: Promise.resolve() }, 'data.a', 'TYPE'],
    ['an invalid date', { a: new Date(Number.NaN) }, 'data.a', 'TYPE'],
    ['a toJSON that returns a BigInt', { a: { toJSON: () => 1n } }, 'data.a', 'TYPE'],
    ['a toJSON that throws', { a: unserialisable }, 'data', 'TYPE'],
    ['a getter that throws', { a: throwing }, 'data', 'TYPE'],
    ['a cycle', looped(), 'data.order.lines.1.order', 'TYPE'],
    ['61 levels', nested(61), `data${'.a'.repeat(60)}`, 'LENGTH'],
    ['20,000 levels', nested(20_000), `data${'.a'.repeat(60)}`, 'LENGTH'],
    ['U+0000', { a: { b: 'x\0' } }, 'data.a.b', 'CHARACTERS'],
    ['a lone high surrogate', { a: '\ud800x' }, 'data.a', 'CHARACTERS'],
    ['a lone low surrogate', { a: 'x\udc00' }, 'data.a', 'CHARACTERS'],
    ['U+0000 in a key', { a: { 'b\0': 1 } }, 'data.a', 'CHARACTERS'],
    ['a lone surrogate in a key', { '\udfff': 1 }, 'data', 'CHARACTERS'],
  ])('is refused with its path: %s', (_, data, path, code) => {
    const issue = jsonIssue(data, RULES)
    expect(issue).toMatchObject({ path, code })
    expect(issue?.message).not.toContain('ada@')
  })

  it('is refused as too large, without counting all of it: objects that are shared again and again', () => {
    expect(() => jsonIssue(shared(), RULES)).toThrow(expect.objectContaining({ code: 'EVENT_TOO_LARGE' }))
  })
})

describe('data that JSON carries', () => {
  it.each<[string, unknown]>([
    ['every kind of JSON', { a: ['', 0, -1.5, true, null, { b: [] }], '': {}, ünïcödé: '😀\n\t\u2028' }],
    ['members that are undefined', { a: undefined }],
    ['dates and other values with toJSON', { a: new Date(0), b: new URL('https://example.com') }],
    ['objects without a prototype, and instances of classes', { a: Object.create(null), b: new (class Order {})() }],
    ['a member named __proto__', JSON.parse('{"__proto__":{"a":1}}')],
    ['60 levels', nested(60)],
    ['an object that occurs twice, but not within itself', { a: RULES, b: [RULES, RULES] }],
  ])('is accepted: %s', (_, data) => {
    expect(jsonIssue(data, RULES)).toBeUndefined()
  })

  it('includes U+0000 and lone surrogates if unsafe text is allowed', () => {
    expect(jsonIssue({ 'a\0': '\ud800' }, { ...RULES, allowUnsafeText: true })).toBeUndefined()
  })
})
