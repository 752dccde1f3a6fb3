import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createKeptText, MAX_KEPT_BYTES } from './kept-text.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

it('joins the parts of a character that is split between two chunks', () => {
  const kept = createKeptText()
  expect([kept.add(Uint8Array.of(0xc3)), kept.add(Uint8Array.of(0xa9))]).toEqual([true, true])
  expect(kept.read()).toBe('é')
})

it('leaves out a character that the size limit cuts in half', () => {
  const kept = createKeptText()
  expect(kept.add(bytes(`a${'é'.repeat(MAX_KEPT_BYTES)}`))).toBe(false)
  expect(kept.read()).toBe(`a${'é'.repeat(MAX_KEPT_BYTES / 2 - 1)}`)
})

it('shortens the text again if replacing invalid bytes has made it too long', () => {
  const kept = createKeptText()
  kept.add(new Uint8Array(MAX_KEPT_BYTES).fill(0xff))
  expect(kept.read()).toBe('\ufffd'.repeat(Math.floor(MAX_KEPT_BYTES / 3)))
})

it('returns no text for an empty body', () => {
  expect(createKeptText().read()).toBe('')
})

// Properties, for any bytes in any chunks: 1. the text is valid UTF-8 of at most 16 KiB; 2. it contains no NUL;
// 3. valid text within the limit is kept unchanged.
it('returns text that any store accepts', () => {
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
