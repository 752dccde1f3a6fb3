import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createKeptText, MAX_KEPT_BYTES } from './kept-text.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

it('puts a character together that came in two chunks', () => {
  const kept = createKeptText()
  expect([kept.add(Uint8Array.of(0xc3)), kept.add(Uint8Array.of(0xa9))]).toEqual([true, true])
  expect(kept.read()).toBe('é')
})

it('leaves out the character that the cap cuts in half', () => {
  const kept = createKeptText()
  expect(kept.add(bytes(`a${'é'.repeat(MAX_KEPT_BYTES)}`))).toBe(false)
  expect(kept.read()).toBe(`a${'é'.repeat(MAX_KEPT_BYTES / 2 - 1)}`)
})

it('cuts a second time what grew when it was made fit', () => {
  const kept = createKeptText()
  kept.add(new Uint8Array(MAX_KEPT_BYTES).fill(0xff))
  expect(kept.read()).toBe('\ufffd'.repeat(Math.floor(MAX_KEPT_BYTES / 3)))
})

it('keeps nothing of an empty body', () => {
  expect(createKeptText().read()).toBe('')
})

// Properties, for any bytes in any chunks: 1. the text is valid UTF-8 of at most 16 KiB; 2. it holds no NUL;
// 3. text that is fit already and fits is kept as it is.
it('gives text that any store takes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9_000 }), { maxLength: 4 }), (chunks) => {
      const kept = createKeptText()
      for (const chunk of chunks) kept.add(chunk)
      const text = kept.read()
      expect(bytes(text).length).toBeLessThanOrEqual(MAX_KEPT_BYTES)
      expect(text).not.toContain('\0')
      expect(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes(text))).toBe(text)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 4_000 }), (text) => {
      fc.pre(!text.includes('\0'))
      const kept = createKeptText()
      expect(kept.add(bytes(text))).toBe(true)
      expect(kept.read()).toBe(text)
    }),
  )
})
