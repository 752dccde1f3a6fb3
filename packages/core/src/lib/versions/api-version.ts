import type { Issue } from '../validation/issue.ts'
import { validationFailed } from '../validation/validation.ts'
import type { Formats } from './formats.ts'

/**
 * The problem with a requested format version; undefined when the version is served, or when none was requested. `path`
 * is the name of the field or header that contains the version.
 */
export function versionIssue(version: string | undefined, formats: Formats, path = 'apiVersion'): Issue | undefined {
  if (version === undefined || formats.isServed(version)) return undefined
  const served = formats.servedVersions().map((each) => each.version)
  const message = `Unknown ${path}. The versions are ${served.join(', ')}.`
  return { path, code: 'UNKNOWN', message }
}

/** @throws CallboardError `VALIDATION_FAILED` for a version that is not served. */
export function assertVersion(version: string, formats: Formats): void {
  const issue = versionIssue(version, formats)
  if (issue !== undefined) throw validationFailed(issue)
}
