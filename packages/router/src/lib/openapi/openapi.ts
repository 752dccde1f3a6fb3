import { CallboardError, type Issue } from '@callboard/core'
import { type AnyCallboard, engineOf, validationFailed, versionIssue } from '@callboard/core/engine'
import { isPlainPath } from '@callboard/handler'
import type { Call } from '../call.ts'
import type { Reply } from '../reply.ts'
import { answerTagged, tagBody } from '../tagged-body.ts'
import type { OpenApiDocument, OpenApiInfo, OpenApiServer } from './openapi-document.ts'

/** Options for the OpenAPI document of `/v1`. */
export interface OpenApiOptions {
  /**
   * Path of the document, relative to `basePath`; `/openapi.json` by default. It must be outside `/v1`, because the
   * document is served without a key. With `false`, no document is served.
   */
  readonly path?: string | false | undefined
  /** Fields of the document that describe the platform, such as its title and contact. */
  readonly info?: Partial<OpenApiInfo> | undefined
  /** Public addresses of the API, without `/v1` or a trailing slash; by default, `basePath` on the document's host. */
  readonly servers?: readonly OpenApiServer[] | undefined
}

export interface OpenApi {
  /** The document's path, relative to the base path; undefined when the document is not served. */
  readonly path: string | undefined
  /**
   * Returns the document of a format version (the current one by default). Rejects for a version that is not served.
   */
  document(version?: string): Promise<OpenApiDocument>
  /** Answers a request for the document. */
  answer(call: Call): Promise<Reply>
}

/**
 * Creates the document of a version on first use and caches it, so that start-up neither loads the zod schemas nor
 * walks the catalogue.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for an invalid path, or one below `/v1`.
 */
export function createOpenApi(
  callboard: AnyCallboard,
  basePath: string,
  { path = '/openapi.json', info, servers }: OpenApiOptions = {},
): OpenApi {
  if (path !== false && (path === '' || !isPlainPath(path) || /^\/v1(?:\/|$)/.test(path))) {
    throw new CallboardError('CONFIGURATION_INVALID', 'openapi.path must be a path such as /openapi.json, outside /v1.')
  }
  const { formats } = engineOf(callboard)
  const documentIn = oncePerVersion(async (version) => {
    const { createDocument } = await import('./document.ts')
    return createDocument(callboard, { basePath, info, servers, version: formats.served(version) })
  })
  /** The texts of the documents, by form and format version. */
  const served = oncePerVersion(async (key) => {
    const [form, version = ''] = key.split(' ')
    const document = await documentIn(version)
    const text = JSON.stringify(form === '3.0' ? (await import('./open-api-30.ts')).openApi30(document) : document)
    return tagBody(text)
  })
  return {
    path: path === false ? undefined : path,
    async document(version = formats.current) {
      const issue = versionIssue(version, formats, 'version')
      if (issue !== undefined) throw validationFailed(issue)
      return documentIn(formats.served(version).version)
    },
    async answer({ request, search }) {
      const query = new URLSearchParams(search)
      const form = query.get('openapi') ?? '3.1'
      const asked = query.get('version') ?? formats.current
      const issue = formIssue(form) ?? versionIssue(asked, formats, 'version')
      if (issue !== undefined) throw validationFailed(issue)
      const tagged = await served(`${form} ${formats.served(asked).version}`)
      // Web pages from other origins can read the document. Caches must revalidate it, because it changes with the
      // platform's code.
      return answerTagged(request, tagged, { 'cache-control': 'no-cache', 'access-control-allow-origin': '*' })
    },
  }
}

/** The versions of OpenAPI in which the document is served. */
const FORMS: readonly string[] = ['3.1', '3.0']

function formIssue(form: string): Issue | undefined {
  if (FORMS.includes(form)) return undefined
  return { path: 'openapi', code: 'UNKNOWN', message: `openapi must be one of ${FORMS.join(', ')}.` }
}

/**
 * Calls `make` once for each version, and returns the same promise to every caller. After a failure, the next call runs
 * `make` again.
 */
function oncePerVersion<T>(make: (version: string) => Promise<T>): (version: string) => Promise<T> {
  const made = new Map<string, Promise<T>>()
  return (version) => {
    const known = made.get(version)
    if (known !== undefined) return known
    const promise = make(version).catch((error: unknown) => {
      made.delete(version)
      throw error
    })
    made.set(version, promise)
    return promise
  }
}
