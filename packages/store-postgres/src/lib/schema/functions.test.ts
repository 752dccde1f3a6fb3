import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { FUNCTIONS } from './functions.ts'
import { REVISIONS } from './revisions.ts'

describe('the database functions', () => {
  it.each(FUNCTIONS)('$name has a revision for its current text, so that migrate re-creates it', ({ name, text }) => {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
    expect(REVISIONS[name]?.at(-1), 'add this digest to revisions.ts').toBe(digest)
  })

  it.each(Object.keys(REVISIONS))('%s never returns to an earlier revision, which migrate would not notice', (name) => {
    expect(new Set(REVISIONS[name]).size).toBe(REVISIONS[name]?.length)
  })

  it('are exactly those that have revisions', () => {
    expect(FUNCTIONS.map(({ name }) => name)).toEqual(Object.keys(REVISIONS))
  })
})
