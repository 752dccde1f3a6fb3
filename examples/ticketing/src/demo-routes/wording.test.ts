import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { wording } from './wording.ts'

const said = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: wording }).error?.issues[0]?.message

describe('the wording of issues', () => {
  it.each([
    [z.string(), undefined, 'is missing; it must be text'],
    [z.string(), 1, 'must be text'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.int().min(1), 0, 'must be at least 1'],
    [z.int().max(20), 21, 'must be at most 20'],
    [z.string().max(2), 'abc', 'must have 2 or fewer characters'],
    [z.array(z.int()).min(1), [], 'must have 1 or more entries'],
    [z.strictObject({}), [], 'must be an object'],
    [z.strictObject({}), { nmae: 1 }, 'has the unknown field nmae; remove it or check its spelling'],
    [z.literal('paid'), 'lost', 'must be paid'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    [z.email(), 'nobody', 'must be an email address'],
    [z.iso.datetime(), 'soon', 'must be an ISO 8601 timestamp such as 2026-10-01T18:03:11Z'],
    [z.uuid(), 'x', 'must be in the form of the sample'],
    [z.union([z.string(), z.int()]), null, 'must match the sample'],
  ])('says what to do (case %#)', (schema, value, words) => {
    expect(said(schema, value)).toBe(words)
  })

  it("keeps a schema's own message", () => {
    expect(said(z.string('must be a name'), 1)).toBe('must be a name')
  })
})
