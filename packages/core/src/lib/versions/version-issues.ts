import type { EventType } from '../events/event-type.ts'
import type { Issue } from '../validation/issue.ts'
import type { CatalogVersion } from './catalog-version.ts'
import { conversionIssuesOf } from './conversion-issues.ts'
import { isPreviousType } from './previous-type.ts'
import type { PreviousVersion } from './previous-version.ts'

/** Returns the mistakes in a catalogue's current version. */
export function currentVersionIssues(version: string, types: readonly EventType[]): Issue[] {
  const issues = repeatedTypes(types).map((name) => conflict(name, `the event type ${name} is defined twice`))
  if (!isDate(version)) issues.push(formatIssue('version', 'version must be a date, such as 2026-10-01'))
  return issues
}

/** Returns the mistakes in a previous version. The path of each issue begins with the version. */
export function previousVersionIssues(previous: PreviousVersion, newer: CatalogVersion): Issue[] {
  const issues = [...retirementIssues(previous), ...typeIssues(previous, newer)]
  if (!isDate(previous.version) || previous.version >= newer.version)
    issues.unshift(
      formatIssue('version', `a previous version must be a date before ${newer.version}, the next newer version`),
    )
  return issues.map((issue) => ({ ...issue, path: `${previous.version}.${issue.path}` }))
}

function retirementIssues({ deprecated, sunset, enforceSunset, link }: PreviousVersion): Issue[] {
  const issues: Issue[] = []
  for (const [path, day] of Object.entries({ deprecated, sunset })) {
    if (day !== undefined && !isDate(day)) issues.push(formatIssue(path, `${path} must be a date, such as 2027-03-01`))
  }
  if (deprecated !== undefined && sunset !== undefined && sunset < deprecated)
    issues.push(conflict('sunset', 'sunset must not be before deprecated'))
  if (enforceSunset === true && sunset === undefined)
    issues.push(conflict('enforceSunset', 'enforceSunset needs a sunset'))
  if (link !== undefined && URL.parse(link)?.protocol !== 'https:')
    issues.push(formatIssue('link', 'link must be an https: URL'))
  return issues
}

function typeIssues({ version, types = [], without = [] }: PreviousVersion, newer: CatalogVersion): Issue[] {
  const issues = repeatedTypes(types).map((name) =>
    conflict(name, `the event type ${name} is defined twice in version ${version}`),
  )
  for (const name of without) {
    if (newer.get(name) === undefined || types.some((type) => type.name === name))
      issues.push(
        conflict(name, `${name} is listed under "without", so it must be a type of version ${newer.version} only`),
      )
  }
  for (const type of types) {
    const next = newer.get(type.name)
    if (isPreviousType(type) && type.newer === next) {
      issues.push(
        ...conversionIssuesOf(type, type.newer.sample).map((issue) => ({
          ...issue,
          path: `${type.name}.${issue.path}`,
        })),
      )
    } else if (isPreviousType(type)) {
      issues.push(
        conflict(
          type.name,
          `definePreviousType must define ${type.name} of version ${version} from the type in version ${newer.version}`,
        ),
      )
    } else if (next !== undefined) {
      issues.push(conflict(type.name, `${type.name} is also in version ${newer.version}: use definePreviousType`))
    }
  }
  return issues
}

function repeatedTypes(types: readonly EventType[]): string[] {
  const names = types.map(({ name }) => name)
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}

function conflict(path: string, message: string): Issue {
  return { path, code: 'CONFLICT', message }
}

function formatIssue(path: string, message: string): Issue {
  return { path, code: 'FORMAT', message }
}

function isDate(version: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version)) return false
  const date = new Date(`${version}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(version)
}
