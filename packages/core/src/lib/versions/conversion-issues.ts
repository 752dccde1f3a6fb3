import { isSameJson } from '../events/is-same-json.ts'
import { parseData } from '../events/parse-data.ts'
import { createRedactor } from '../personal-data/redact.ts'
import type { Issue } from '../validation/issue.ts'
import { createConversion } from './conversion.ts'
import type { PreviousType } from './previous-type.ts'

/**
 * Tries the conversion of a previous type on data of the newer shape, and returns how the result breaks these rules:
 * - The result must fit the schema of the previous type, and have no fields that the schema lacks.
 * - Redacting and then converting must give the same data as converting and then redacting, so that no conversion can
 *   show what the personal-data paths hide.
 * - The same data must give the same result.
 */
export function conversionIssuesOf(type: PreviousType, data: object): Issue[] {
  const convert = createConversion(type)
  const issue = (path: string, message: string): Issue => ({ path: `down${path}`, code: 'INVALID', message })
  try {
    const full = JSON.stringify(data)
    const converted = convert(full, true)
    const result = parseData(converted)
    const parsed = type.schema.safeParse(result)
    if (!parsed.success) {
      return parsed.error.issues.map(({ path, message }) =>
        issue(['', ...path].map(String).join('.'), `the result of down does not fit the schema: ${message}`),
      )
    }
    const issues: Issue[] = []
    if (!isSameJson(parseData(JSON.stringify(parsed.data)), result))
      issues.push(issue('', 'the result of down must contain all default values, and no fields that the schema lacks'))
    if (convert(full, true) !== converted)
      issues.push(issue('', 'down must always give the same result for the same data'))
    const redactedFirst = convert(createRedactor(type.newer.personalDataPaths)(data).redacted, false)
    const convertedFirst = createRedactor(type.personalDataPaths)(result).redacted
    if (!isSameJson(parseData(redactedFirst), parseData(convertedFirst)))
      issues.push(
        issue('', 'down must give the same result without personal data as with it, except at personalDataPaths'),
      )
    return issues
  } catch (error) {
    return [
      issue('', `down failed: ${error instanceof Error ? error.message : 'it threw a value that is not an Error'}`),
    ]
  }
}
