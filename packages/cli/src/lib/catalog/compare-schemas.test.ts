import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compareSchemas } from './compare-schemas.ts'

const schemaOf = (shape: z.ZodType) => z.toJSONSchema(shape)
const compared = (before: z.ZodRawShape, now: z.ZodRawShape) =>
  compareSchemas(schemaOf(z.object(before)), schemaOf(z.object(now))).map(
    ({ path, message, breaks }) => `${breaks ? 'breaks' : 'safe'} ${path}: ${message}`,
  )

interface Node {
  id: string
  children: Node[]
}
const tree = (id: z.ZodType<string>): z.ZodType<Node> => {
  const node: z.ZodType<Node> = z.object({
    id,
    get children() {
      return z.array(node)
    },
  })
  return node
}

describe('compareSchemas', () => {
  it.each<[string, z.ZodRawShape, z.ZodRawShape, string[]]>([
    ['an equal schema', { a: z.string() }, { a: z.string() }, []],
    ['a field that was added', { a: z.string() }, { a: z.string(), b: z.int() }, ['safe b: was added']],
    ['a field that was removed', { a: z.string(), b: z.int() }, { a: z.string() }, ['breaks b: was removed']],
    ['a field that can be missing', { a: z.string() }, { a: z.string().optional() }, ['breaks a: can be missing now']],
    ['a field that is always there', { a: z.string().optional() }, { a: z.string() }, []],
    ['a field that can be null', { a: z.string() }, { a: z.string().nullable() }, ['breaks a: can now also be: null']],
    ['a field that can no longer be null', { a: z.string().nullable() }, { a: z.string() }, []],
    ['another type', { a: z.string() }, { a: z.int() }, ['breaks a: was string and is integer now']],
    ['a narrower number', { a: z.number() }, { a: z.int() }, []],
    ['a wider number', { a: z.int() }, { a: z.number() }, ['breaks a: was integer and is number now']],
    ['new values', { a: z.enum(['x']) }, { a: z.enum(['x', 'y']) }, ['breaks a: can have new values: "y"']],
    ['fewer values', { a: z.enum(['x', 'y']) }, { a: z.enum(['x']) }, []],
    [
      'any value instead of a few',
      { a: z.literal('x') },
      { a: z.string() },
      ['breaks a: is no longer limited to certain values'],
    ],
    ['a format that was lost', { a: z.email() }, { a: z.string() }, ['breaks a: no longer has the format email']],
    ['a format that was added', { a: z.string() }, { a: z.email() }, []],
    [
      'a change in a nested object',
      { a: z.object({ b: z.string() }) },
      { a: z.object({}) },
      ['breaks a.b: was removed'],
    ],
    [
      'a change in each element of a list',
      { a: z.array(z.object({ b: z.string() })) },
      { a: z.array(z.object({})) },
      ['breaks a.b: was removed'],
    ],
    [
      'a change in each value of a record',
      { a: z.record(z.string(), z.int()) },
      { a: z.record(z.string(), z.string()) },
      ['breaks a.*: was integer and is string now'],
    ],
    [
      'a new alternative',
      { a: z.union([z.string(), z.int()]) },
      { a: z.union([z.string(), z.int(), z.boolean()]) },
      ['breaks a: can now also be: boolean'],
    ],
    ['fewer alternatives', { a: z.union([z.string(), z.int()]) }, { a: z.string() }, []],
    [
      'a change in an intersection',
      { a: z.intersection(z.object({ b: z.string() }), z.object({ c: z.int() })) },
      { a: z.object({ b: z.string() }) },
      ['breaks a.c: was removed'],
    ],
    ['anything instead of a type', { a: z.string() }, { a: z.unknown() }, ['breaks a: was string and is anything now']],
    ['a type instead of anything', { a: z.unknown() }, { a: z.string() }, []],
  ])('reports the expected changes for %s', (_, before, now, expected) => {
    expect(compared(before, now)).toEqual(expected)
  })

  it('terminates for schemas that refer to themselves', () => {
    expect(compared({ root: tree(z.string()) }, { root: tree(z.string()) })).toEqual([])
    expect(compared({ root: tree(z.email()) }, { root: tree(z.string()) })[0]).toBe(
      'breaks root.id: no longer has the format email',
    )
  })
})
