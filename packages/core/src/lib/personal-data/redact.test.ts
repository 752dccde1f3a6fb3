/**
 * Properties, for any JSON-like data, any paths and any head of an envelope:
 *
 * 1. `redacted` equals the output of `JSON.stringify` for the data without the members that the paths name.
 * 2. `splice(head + redacted + '}', patch)` is `head + JSON.stringify(data) + '}'`, byte for byte.
 * 3. The patch is null exactly when nothing was removed.
 * 4. `redactAgain` turns an envelope with the full data into the same envelope with the redacted data.
 * 5. `redactAgain`, applied with a second list of paths to an envelope that is already redacted, leaves exactly the
 *   members that neither the first list nor the second list removes.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor, redactAgain, splice } from './redact.ts'

const HEAD = '{"id":"evt_1","account":{"name":"A \\"quoted\\" name, data: {"},"data":'
const envelope = (data: string) => `${HEAD}${data}}`

/**
 * The reference implementation, which deletes members from a copy. It does not make the copy with `JSON.parse`, because
 * on Node 22 to 26 that function confuses some of the keys below (https://github.com/nodejs/node/issues/63785).
 */
function removed(data: unknown, paths: readonly string[]): string {
  const copy = plain(data)
  const remove = (value: unknown, steps: readonly string[]): void => {
    const [step, ...rest] = steps
    if (Array.isArray(value)) for (const element of value) remove(element, steps)
    else if (typeof value === 'object' && value !== null && step !== undefined && Object.hasOwn(value, step)) {
      if (rest.length === 0) Reflect.deleteProperty(value, step)
      else remove(Object.getOwnPropertyDescriptor(value, step)?.value, rest)
    }
  }
  for (const path of paths) remove(copy, path.split('.'))
  return JSON.stringify(copy)
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function') return plain(value.toJSON())
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
}

const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '__proto__',
      'toJSON',
      'constructor',
      '0',
      '1',
      '10',
      'ä',
      '😀',
      'a"b',
      '\\',
      '"',
      '\\"',
      '":{',
      ',"a":',
      '\n',
      '\u2028',
      '\ud800',
      'aa',
      ' a',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }).filter((text) => !text.includes('.')),
  },
)
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    undefined,
    0,
    -0,
    1.5,
    1e21,
    5e-324,
    Number.NaN,
    '',
    'a',
    '"',
    '\\',
    '\\"',
    '{"a":1}',
    ',"a":',
    '[',
    '}',
    '\u0000',
    '😀',
    '\udc00',
    new Date(0),
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
  // Long strings: only the first 32 characters are scanned one by one, the rest with `indexOf`.
  fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n'), minLength: 20, maxLength: 80 }),
  fc.double(),
  fc
    .record({ inner: fc.constantFrom<unknown>({ a: 1, b: { c: 2 } }, undefined, 'text', [{ a: 1 }]) })
    .map(({ inner }) => ({ toJSON: () => inner })),
)
const { object } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 5, depthSize: 'small' }, leaf, tie('object'), fc.array(tie('value'), { maxLength: 4 })),
  // Built from entries, so that `__proto__` is an ordinary key, like in an object that `JSON.parse` returns.
  object: fc
    .uniqueArray(fc.tuple(key, tie('value')), { selector: ([name]) => name, maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
}))
const path = fc.array(key, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('.'))
const paths = fc.array(path, { maxLength: 6 })

describe('createRedactor', () => {
  it('removes and restores personal data byte for byte, whatever the data and the paths (properties 1, 2, 3)', () => {
    fc.assert(
      fc.property(object, paths, (data, names) => {
        const full = JSON.stringify(data)
        const { redacted, patch } = createRedactor(names)(data)
        expect(redacted).toBe(removed(data, names))
        expect(patch === null).toBe(redacted === full)
        if (patch !== null) expect(splice(envelope(redacted), patch)).toBe(envelope(full))
      }),
      { numRuns: 3000 },
    )
  })

  it('removes only the personal data of an order', () => {
    const lines = [
      { name: 'Seat', attendee: { name: 'Grace' } },
      { name: 'Seat' },
      { attendee: { email: 'a@b.c', name: 'Al', id: 'per_2' } },
    ]
    const data = {
      order: { id: 'ord_1', buyer: { name: 'Ada', entity_id: 'per_1', email: 'ada@example.com' }, lines },
      note: 'Ada',
    }
    const { redacted } = createRedactor([
      'order.buyer.name',
      'order.buyer.email',
      'order.lines.attendee.name',
      'order.lines.attendee.email',
    ])(data)
    expect(redacted).toBe(
      '{"order":{"id":"ord_1","buyer":{"entity_id":"per_1"},"lines":[{"name":"Seat","attendee":{}},{"name":"Seat"},{"attendee":{"id":"per_2"}}]},"note":"Ada"}',
    )
  })

  it.each<[string, unknown, string[], string]>([
    ['leaves {} where it emptied an object', { a: { b: 1 } }, ['a.b'], '{"a":{}}'],
    ['leaves {} where it removed all data', { a: 1, b: 2 }, ['a', 'b'], '{}'],
    ['removes the first of several members', { a: 1, b: 2 }, ['a'], '{"b":2}'],
    ['removes the last of several members', { a: 1, b: 2 }, ['b'], '{"a":1}'],
    ['removes a member between others', { a: 1, b: 2, c: 3 }, ['b'], '{"a":1,"c":3}'],
    ['removes adjacent members', { a: 1, b: 2, c: 3, d: 4 }, ['c', 'b'], '{"a":1,"d":4}'],
    ['removes all members but the last', { a: 1, b: 2, c: 3 }, ['a', 'b'], '{"c":3}'],
    ['removes a whole object', { a: { b: { c: 1 } }, d: 1 }, ['a'], '{"d":1}'],
    ['removes a whole array', { a: [1, { b: 2 }] }, ['a'], '{}'],
    ['applies the outer of two overlapping paths', { a: { b: 1 }, c: 1 }, ['a.b', 'a'], '{"c":1}'],
    ['applies the outer path in either order', { a: { b: 1 }, c: 1 }, ['a', 'a.b'], '{"c":1}'],
    ['searches arrays of arrays', { a: [[{ b: 1, c: 2 }], [], [[{ b: 3 }]]] }, ['a.b'], '{"a":[[{"c":2}],[],[[{}]]]}'],
    ['does not take a number in a path for an array index', { a: ['x', { 0: 'y' }] }, ['a.0'], '{"a":["x",{}]}'],
    ['does not search strings', { a: '{"b":1}', c: '"b":' }, ['a.b', 'b'], '{"a":"{\\"b\\":1}","c":"\\"b\\":"}'],
    [
      'treats the key __proto__ like any other',
      JSON.parse('{"__proto__":{"a":1},"b":2}'),
      ['__proto__.a'],
      '{"__proto__":{},"b":2}',
    ],
    [
      'ignores a path whose object is absent, null or a string',
      { a: null, c: 'x' },
      ['a.b', 'c.d', 'e.f'],
      '{"a":null,"c":"x"}',
    ],
    ['searches the result of toJSON', { a: { toJSON: () => ({ b: 1, c: 2 }) } }, ['a.b'], '{"a":{"c":2}}'],
    ['ignores members that JSON.stringify leaves out', { a: undefined, b: () => 1, c: 1 }, ['a'], '{"c":1}'],
  ])('%s', (_, data, names, expected) => {
    expect(createRedactor(names)(data).redacted).toBe(expected)
  })

  it('creates no patch when there are no paths', () => {
    expect(createRedactor([])({ a: 1 })).toEqual({ redacted: '{"a":1}', patch: null })
  })

  it('refuses data that cannot be serialised as JSON', () => {
    expect(() => createRedactor(['a'])(undefined)).toThrow(TypeError)
  })

  it('does not modify the data, which can be frozen', () => {
    const data = Object.freeze({ a: Object.freeze({ b: 1 }) })
    expect(createRedactor(['a.b'])(data).redacted).toBe('{"a":{}}')
    expect(data).toEqual({ a: { b: 1 } })
  })
})

describe('splice', () => {
  const { redacted, patch } = createRedactor(['a', 'c'])({ a: 'Ada', b: 1, c: 'Grace' })

  it('restores the data, whatever comes before it in the envelope', () => {
    for (const head of ['{"data":', `{"name":"${'😀'.repeat(1000)}","data":`]) {
      expect(splice(`${head}${redacted}}`, patch!)).toBe(`${head}{"a":"Ada","b":1,"c":"Grace"}}`)
    }
  })

  it.each(['x', '1', '1,', '1,5', '1,5:', '1,5:abc', '-1,1:x', '0,1:x', '1,0:', '99999,1:x', '1,1:x5,1:y', 'NaN,1:x'])(
    'refuses the patch %j, and shows neither the patch nor the envelope in the error',
    (bad) => {
      expect(() => splice(envelope(redacted), bad)).toThrow(/^a patch does not fit its envelope$/)
    },
  )

  it('takes patches in a format that never changes, because patches are stored', () => {
    expect(patch).toBe('7,10:"a":"Ada",2,12:,"c":"Grace"')
  })
})

describe('redactAgain', () => {
  it('removes from a stored envelope what the redactor removes from data (properties 4, 5)', () => {
    fc.assert(
      fc.property(object, paths, paths, (data, names, others) => {
        const full = JSON.stringify(data)
        const { redacted } = createRedactor(names)(data)
        expect(redactAgain(envelope(full), names)).toBe(envelope(redacted))
        expect(redactAgain(envelope(redacted), others)).toBe(envelope(removed(data, [...names, ...others])))
      }),
      { numRuns: 1000 },
    )
  })

  it('changes nothing outside `data`, not even a member of the account with the same path', () => {
    const text = '{"account":{"name":"Ada"},"name":"Ada","data":{"account":{"name":"Ada","id":1},"name":"Ada"}}'
    expect(redactAgain(text, ['account.name', 'name'])).toBe(
      '{"account":{"name":"Ada"},"name":"Ada","data":{"account":{"id":1}}}',
    )
  })

  it('returns an envelope unchanged if there is nothing to remove', () => {
    const text = '{"data":{"a":1.0}}'
    expect(redactAgain(text, ['b'])).toBe(text)
    expect(redactAgain(text, [])).toBe(text)
  })

  it('distinguishes keys that JSON.parse confuses', () => {
    JSON.parse('{"c":1,"\\\\":2}')
    expect(redactAgain('{"data":{"c":1,"\\n":2,"b":3}}', ['b'])).toBe('{"data":{"c":1,"\\n":2}}')
  })

  it.each([
    '{ "data":{"a":1}}',
    '{"data": {"a":1}}',
    '{"data" :{"a":1}}',
    '{"data":{ "a":1}}',
    '{"data":{"b":1, "a":1}}',
    '{"data":{"a" :1}}',
    '{"data":{"b":[1] ,"a":1}}',
    '{"data":[{"b":1}, {"a":1}]}',
    '{"data":[ {"a":1}]}',
    '{"data":[{"b":1} ]}',
    ' {"data":{"a":1}}',
    '{"data":{"b":1',
    '{"data":{"b":"x',
    '{"data":{"b":{"c":1',
    '{"data":{"b',
    '{"data":',
    '{',
    '',
  ])('throws for %j, so that it never overlooks a member', (text) => {
    expect(() => redactAgain(text, ['a', 'd'])).toThrow(/^a JSON text was not written by JSON.stringify$/)
  })
})
