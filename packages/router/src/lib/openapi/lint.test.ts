import { defineCatalog, defineEventType } from '@callboard/core'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contractDocument, documentOf } from '../../../test/contract-document.ts'
import { openApi30 } from './open-api-30.ts'

const { Spectral } = spectralCore

const node = z.object({
  name: z.string(),
  get children() {
    return z.array(node)
  },
})
const odd = defineCatalog({
  version: '2026-10-01',
  types: [
    defineEventType({
      name: 'odd.seen',
      family: 'f',
      descriptionKey: 'k',
      schema: z.object({
        tree: node,
        tuple: z.tuple([z.string(), z.int()], z.null()),
        either: z.union([z.string(), z.number(), z.null()]),
        person: z.object({ id: z.string() }).nullable().describe('Somebody'),
        one: z.literal(1),
        none: z.null(),
        nothing: z.never().optional(),
        record: z.record(z.string().regex(/^x/), z.number().positive().lt(10)),
        both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.array(z.unknown()) })),
        kind: z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
        file: z.base64().meta({ examples: ['AA=='], custom: true }),
      }),
      sample: {
        ...{ tree: { name: 'a', children: [] }, tuple: ['a', 1], either: null, person: null, one: 1, none: null },
        ...{ record: { x: 1 }, both: { a: 'a', b: [] }, kind: { kind: 'a' }, file: 'AA==' },
      },
      personalDataPaths: [],
    }),
  ],
})

/** In 3.0 there are no webhooks, which refer to the schemas of events. */
const UNUSED = /(?:no-unused-components|oas3-unused-component): .*Event\b/

/** Rules that the test ignores, because only a platform can set the contact and a page with its licence. */
const SAID_BY_THE_PLATFORM = ['info-contact', 'info-license-strict', 'info-license-url']

describe.each<[string, () => Promise<object>]>([
  ['the document', contractDocument],
  ['its form in OpenAPI 3.0', async () => openApi30(await contractDocument())],
  ['the form in OpenAPI 3.0 of a document with every kind of schema', async () => openApi30(await documentOf(odd))],
])('%s', (_, read) => {
  let source: string

  beforeAll(async () => {
    source = JSON.stringify(await read())
  })

  it("passes Redocly's recommended rules without a warning", async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source, config })
    const warnings = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    const told = warnings.filter((line) => !SAID_BY_THE_PLATFORM.some((rule) => line.startsWith(rule)))
    expect(told.filter((line) => !UNUSED.test(line))).toEqual([])
  })

  it("passes Spectral's oas rules without a warning, except for one rule that assumes OpenAPI 3.0", async () => {
    const spectral = new Spectral()
    spectral.setRuleset(Object({ extends: [[oas, 'recommended']] }))
    const problems = await spectral.run(source)
    const warnings = problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`)
    // The rule assumes OpenAPI 3.0. Since 3.1, a security requirement can list roles for any scheme, and the document
    // lists the required scope as a role.
    const outdated = 'oas3-operation-security-defined: "webhooks.'
    const rules = [...SAID_BY_THE_PLATFORM, outdated]
    const told = warnings.filter((line) => !rules.some((rule) => line.startsWith(rule)))
    expect(told.filter((line) => !UNUSED.test(line))).toEqual([])
  })
})
