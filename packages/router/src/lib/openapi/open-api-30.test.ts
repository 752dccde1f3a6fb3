import { describe, expect, it } from 'vitest'
import { contractDocument } from '../../../test/contract-document.ts'
import type { JsonSchema } from './json-schema.ts'
import { openApi30 } from './open-api-30.ts'

/** Converts a document with these schemas, and returns its schemas. */
async function converted(schemas: Record<string, JsonSchema>): Promise<Record<string, unknown>> {
  const document = await contractDocument()
  return Object(openApi30({ ...document, components: { ...document.components, schemas } })).components.schemas
}

const REF = { $ref: '#/components/schemas/B' } as const

describe('the form in OpenAPI 3.0 of a schema', () => {
  it.each<[string, JsonSchema, object]>([
    ['null as one of two types', { type: ['string', 'null'] as never }, { type: 'string', nullable: true }],
    [
      'null in an enum',
      { type: ['string', 'null'] as never, enum: ['a', null] },
      { type: 'string', nullable: true, enum: ['a', null] },
    ],
    ['only null', { type: 'null' }, { type: 'string', enum: [null], nullable: true }],
    [
      'several types',
      { type: ['string', 'array'] as never },
      { anyOf: [{ type: 'string' }, { type: 'array', items: {} }] },
    ],
    [
      'a choice between null and one schema',
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      { type: 'integer', nullable: true },
    ],
    ['a choice between null and a reference', { anyOf: [REF, { type: 'null' }] }, { allOf: [REF], nullable: true }],
    [
      'a choice between null and two schemas',
      { oneOf: [REF, { type: 'string' }, { type: 'null' }] },
      { oneOf: [REF, { type: 'string' }, { type: 'string', enum: [null], nullable: true }] },
    ],
    ['a constant', { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'exclusive bounds',
      { exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    ],
    ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
    ['a reference', REF, REF],
    ['a reference with a description', { ...REF, description: 'd' }, { allOf: [REF], description: 'd' }],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, REF] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, REF] } },
    ],
    ['an array of anything', { type: 'array' }, { type: 'array', items: {} }],
    [
      'boolean schemas',
      { type: 'object', properties: { a: true, b: false } },
      { type: 'object', properties: { a: {}, b: { not: {} } } },
    ],
    [
      'nested schemas',
      { type: 'object', additionalProperties: { const: 1 } },
      { type: 'object', additionalProperties: { enum: [1] } },
    ],
    [
      'properties with the names of keywords',
      { type: 'object', properties: { const: { const: 1 }, examples: { type: 'string' } } },
      { type: 'object', properties: { const: { enum: [1] }, examples: { type: 'string' } } },
    ],
    [
      'keywords that 3.0 does not have',
      { type: 'object', propertyNames: { pattern: '^x' }, $comment: 'c', contentEncoding: 'base64' },
      { type: 'object' },
    ],
  ])('describes %s', async (_, schema, expected) => {
    expect((await converted({ A: schema }))['A']).toEqual(expected)
  })

  it('moves $defs to the components', async () => {
    const data: JsonSchema = {
      properties: { root: { $ref: '#/components/schemas/A/properties/data/$defs/__schema0' } },
      $defs: {
        __schema0: { type: 'array', items: { $ref: '#/components/schemas/A/properties/data/$defs/__schema0' } },
      },
    }
    const moved = { $ref: '#/components/schemas/A__schema0' }
    expect(await converted({ A: { properties: { data } } })).toEqual({
      A: { properties: { data: { properties: { root: moved } } } },
      A__schema0: { type: 'array', items: moved },
    })
  })
})

it('the form in OpenAPI 3.0 of an operation requires no roles, and converts the schemas of parameters and bodies', async () => {
  const document = await contractDocument()
  const operation = Object(openApi30(document)).paths['/v1/webhooks/subscriptions'].post
  expect(operation.security).toEqual([{ apiKey: [] }])
  expect(operation.parameters[0].schema).toEqual(document.paths['/v1/me']?.get?.parameters?.[0]?.schema)
  // Examples keep everything.
  const { requestBody } = document.paths['/v1/webhooks/subscriptions']?.post ?? {}
  expect(operation.requestBody).toEqual(requestBody)
})
