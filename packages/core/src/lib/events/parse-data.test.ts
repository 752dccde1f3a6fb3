import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseData } from './parse-data.ts'

/** Keys and strings with every kind of escape, and with text that looks like JSON. */
const text = fc.oneof(
  fc.constantFrom(
    'a',
    '"',
    '\\',
    '\\"',
    '\n',
    '\t',
    '"a":1',
    '":',
    '{',
    '[',
    ',',
    '}',
    ']',
    '__proto__',
    '\ud800',
    '1',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

const { object } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -1.5, 1e21),
    text,
    tie('object'),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
  // Built from entries, so that `__proto__` is an ordinary key, like in an object that `JSON.parse` returns.
  object: fc
    .uniqueArray(fc.tuple(text, tie('value')), { selector: ([key]) => key, maxLength: 5 })
    .map((entries): object => Object.fromEntries(entries)),
}))

describe('parseData', () => {
  it('parses any object that JSON.stringify has written, whatever its keys', () => {
    fc.assert(
      fc.property(object, (data) => {
        const written = JSON.stringify(data)
        expect(JSON.stringify(parseData(written))).toBe(written)
      }),
      { numRuns: 10_000 },
    )
  })

  it('distinguishes keys that JSON.parse confuses', () => {
    JSON.parse('{"c":1,"\\\\":2}')
    expect(parseData('{"c":1,"\\n":2,"b":3}')).toEqual({ c: 1, '\n': 2, b: 3 })
    expect(parseData('{"c":1,"\\"":2,"b":3}')).toEqual({ c: 1, '"': 2, b: 3 })
    expect(parseData('{"c":1,"a\\"":2,"\\\\":3}')).toEqual({ c: 1, 'a"': 2, '\\': 3 })
  })

  it.each(['', 'null', '1', '"a"', '{', '{"\\n":', '{"\\n":1', '{"\\n":1,', '{"\\n":[1', '{"\\n":}'])(
    'throws for %j',
    (bad) => {
      expect(() => parseData(bad)).toThrow()
    },
  )
})
