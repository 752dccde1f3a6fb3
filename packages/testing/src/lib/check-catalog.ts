import { CallboardError, type Catalog, type Issue, type PreviousType } from '@callboard/core'
import { conversionIssuesOf, isPreviousType } from '@callboard/core/engine'
import fc from 'fast-check'
import { arbitraryData } from './arbitrary-data.ts'

export interface CheckCatalogOptions {
  /** How many values to generate for each conversion; 200 by default. */
  readonly numRuns?: number | undefined
  /** The seed of the generator; random by default. To repeat a check that failed, pass the seed in its error. */
  readonly seed?: number | undefined
}

/**
 * Checks every conversion of a catalogue to a previous format version with generated data of the newer shape. The
 * result must fit the older schema, have no extra fields and be the same each time. Removing personal data before or
 * after the conversion must give the same result. (`defineCatalog` makes the same checks, but only with the sample.)
 *
 * @throws CallboardError `CATALOG_INVALID` for the first conversion that fails. Its message has the seed and the
 *   smallest failing data found. The error has one issue per mistake.
 * @example
 * it('converts every event to previous versions', () => checkCatalog(catalog))
 */
export function checkCatalog(catalog: Catalog, { numRuns = 200, seed }: CheckCatalogOptions = {}): void {
  const parameters = seed === undefined ? { numRuns } : { numRuns, seed }
  for (const { version, types } of Object.values(catalog.versions))
    for (const type of types) if (isPreviousType(type)) checkConversion(type, version, parameters)
}

function checkConversion(type: PreviousType, version: string, parameters: fc.Parameters<[unknown]>): void {
  const issuesOf = (generated: unknown): Issue[] | undefined => {
    const parsed = type.newer.schema.safeParse(generated)
    return parsed.success ? conversionIssuesOf(type, parsed.data) : undefined
  }
  const holds = fc.property(arbitraryData(type.newer), (generated) => {
    const issues = issuesOf(generated)
    fc.pre(issues !== undefined)
    return issues.length === 0
  })
  const { counterexample, failed, seed } = fc.check(holds, parameters)
  if (!failed) return
  if (counterexample === null) throw tooFewData(type, version)
  const [data] = counterexample
  const issues = issuesOf(data) ?? []
  const shown = JSON.stringify(data)
  const message = `${type.name} cannot always be converted to version ${version}: ${issues[0]?.message}. The data, found with the seed ${seed}: ${shown}`
  throw new CallboardError('CATALOG_INVALID', message, {
    issues: issues.map((issue) => ({ ...issue, path: `${version}.${type.name}.${issue.path}` })),
  })
}

function tooFewData({ name }: PreviousType, version: string): CallboardError {
  const message = `Too little of the data that was generated for ${name} fits its schema. A refinement probably ties fields to each other: test the conversion to version ${version} with data of your own.`
  const issue = { path: `${version}.${name}.schema`, code: 'INVALID', message } as const
  return new CallboardError('CATALOG_INVALID', message, { issues: [issue] })
}
