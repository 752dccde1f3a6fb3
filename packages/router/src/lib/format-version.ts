import type { CatalogVersion } from '@callboard/core'
import { type Formats, versionIssue } from '@callboard/core/engine'
import type { Caller } from '@callboard/core/store'
import type { Problem } from './problem.ts'

/** In a request, this header asks for a format version. In the response, it names the version that was used. */
const VERSION_HEADER = 'callboard-version'

/** Decides which format version a request gets. */
export interface FormatVersions {
  /** The version that the request asks for. If it asks for none, or for one that is not served: the key's version. */
  used(request: Request, caller: Caller): string
  /** The problem if the request asks for a version that is not served; otherwise undefined. */
  problem(request: Request): Problem | undefined
  /** The headers that describe a version in a response. */
  headers(version: string): Readonly<Record<string, string>>
}

export function createFormatVersions(formats: Formats): FormatVersions {
  const headers = new Map(formats.versions.map((version) => [version.version, headersOf(version)]))
  return {
    used(request, { apiVersion }) {
      const asked = request.headers.get(VERSION_HEADER)
      return formats.served(asked !== null && formats.isServed(asked) ? asked : apiVersion).version
    },
    problem(request) {
      const issue = versionIssue(request.headers.get(VERSION_HEADER) ?? undefined, formats, 'Callboard-Version')
      return issue && { code: 'VALIDATION_FAILED', message: issue.message, issues: [issue] }
    },
    headers: (version) => headers.get(version) ?? {},
  }
}

/** The deprecation is announced as in RFC 9745, and the sunset as in RFC 8594. */
function headersOf({ version, retirement }: CatalogVersion): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { [VERSION_HEADER]: version }
  const { deprecated, sunset, link } = retirement ?? {}
  if (deprecated !== undefined) headers['deprecation'] = `@${Date.parse(deprecated) / 1000}`
  if (sunset !== undefined) headers['sunset'] = new Date(sunset).toUTCString()
  const relations = [deprecated === undefined ? [] : ['deprecation'], sunset === undefined ? [] : ['sunset']].flat()
  if (link !== undefined && relations.length > 0)
    headers['link'] = relations
      .map((relation) => `<${new URL(link).href}>; rel="${relation}"; type="text/html"`)
      .join(', ')
  return headers
}
