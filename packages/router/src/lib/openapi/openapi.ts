import { CallboardError } from '@callboard/core'
import type { AnyCallboard } from '@callboard/core/engine'
import { isPlainPath } from '@callboard/handler'
import type { Call } from '../call.ts'
import type { Reply } from '../reply.ts'
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
  document(): Promise<OpenApiDocument>
  /** Answers a request for the document. */
  answer(call: Call): Promise<Reply>
}

/**
 * Creates the document only on first use, and then caches it. Start-up therefore neither loads the zod schemas nor
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
  const document = once(async () => {
    const { createDocument } = await import('./document.ts')
    return createDocument(callboard, { basePath, info, servers })
  })
  const served = once(async () => {
    const text = JSON.stringify(await document())
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
    return { text, etag: `"${btoa(String.fromCharCode(...new Uint8Array(digest).subarray(0, 15)))}"` }
  })
  return {
    path: path === false ? undefined : path,
    document,
    async answer({ request }) {
      const { text, etag } = await served()
      // Web pages from other origins can read the document. Caches must revalidate it, because it changes with the
      // platform's code.
      const headers = { etag, 'cache-control': 'no-cache', 'access-control-allow-origin': '*' }
      return isKnown(request.headers.get('if-none-match'), etag)
        ? { status: 304, body: null, headers }
        : { status: 200, body: text, headers }
    },
  }
}

/** Calls `make` once, and returns the same promise to every caller. If `make` fails, the next call runs it again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

/**
 * Whether `If-None-Match` contains the document's ETag (RFC 9110, 13.1.2). The weak form of the ETag matches too,
 * because a proxy that compresses the document makes its ETag weak.
 */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()))
}
