import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractDocument } from '../../../test/contract-document.ts'

const { Spectral } = spectralCore

/** Rules that the test ignores, because only a platform can set the contact and the licence, with `openapi.info`. */
const SAID_BY_THE_PLATFORM = ['info-contact', 'info-license']

describe('the document', () => {
  let source: string

  beforeAll(async () => {
    source = JSON.stringify(await contractDocument())
  })

  it("passes Redocly's recommended rules without a warning", async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source, config })
    const warnings = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    expect(warnings.filter((line) => !SAID_BY_THE_PLATFORM.some((rule) => line.startsWith(rule)))).toEqual([])
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
    expect(warnings.filter((line) => !rules.some((rule) => line.startsWith(rule)))).toEqual([])
  })
})
