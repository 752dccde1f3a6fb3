import { describe, expect, it } from 'vitest'
import { assertText, textIssue } from './text-rules.ts'

const RANGE = { min: 1, max: 5 }

describe('textIssue', () => {
  it.each(['a', 'abcde', 'ä', '😀😀😀😀😀', ' ', '\u00a0', '\u2028', '\ufeff', '\u{e000}', 'a\u0301'])(
    'accepts %j',
    (text) => {
      expect(textIssue('name', text, RANGE)).toBeUndefined()
    },
  )

  it.each(['\0', 'a\nb', '\t', '\x1f', '\x7f', '\x80', '\x9f', '\ud800', 'a\udc00', '\udc00\ud800'])(
    'refuses %j as a control character or broken Unicode',
    (text) => {
      expect(textIssue('name', text, RANGE)?.message).toBe(
        'name must not contain control characters or broken Unicode.',
      )
    },
  )

  it.each(['', 'abcdef', '😀😀😀😀😀😀', 'a'.repeat(1_000_000)])('counts code points, and so refuses %.20j', (text) => {
    expect(textIssue('name', text, RANGE)?.message).toBe('name must be 1 to 5 characters.')
  })

  it.each([undefined, null, 5, {}, ['a']])('refuses %j, which is not a string', (value) => {
    expect(textIssue('name', value, RANGE)?.message).toBe('name must be a string.')
  })
})

describe('assertText', () => {
  it('throws a VALIDATION_FAILED that contains the name of the field but not its value', () => {
    expect(() => assertText('name', 'Ada\0', RANGE)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        issues: [
          { path: 'name', code: 'CHARACTERS', message: 'name must not contain control characters or broken Unicode.' },
        ],
      }),
    )
    expect(() => assertText('name', 'Ada', RANGE)).not.toThrow()
  })
})
