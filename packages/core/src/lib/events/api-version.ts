import type { Issue } from '../issue.ts'
import { validationFailed } from '../validation.ts'
import type { Formats } from './formats.ts'

/** Checks a format version that somebody asks for, in the field or header `path`. Returns undefined if it is served, or if none was asked for. */
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
