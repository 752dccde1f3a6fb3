import { CallboardError } from '@callboard/core'
import type { AnyCallboard } from '@callboard/core/engine'
import { isPlainPath } from '@callboard/handler'
import type { Call } from '../call.ts'
import type { Reply } from '../reply.ts'
import type { OpenApiDocument, OpenApiInfo, OpenApiServer } from './openapi-document.ts'

/** Options for the OpenAPI document of `/v1`. */
export interface OpenApiOptions {
  /**
   * Path of the document below `basePath`, served without a key; `/openapi.json` by default. It must not be below
   * `/v1`. `false` serves no document.
   */
  readonly path?: string | false | undefined
  /** Fields that describe the platform, such as a title or a contact. */
  readonly info?: Partial<OpenApiInfo> | undefined
  /** Public addresses of the API, up to `/v1` and without a trailing slash; `basePath` on the same host by default. */
  readonly servers?: readonly OpenApiServer[] | undefined
}

export interface OpenApi {
  /** Below the base path; undefined when the document is not served. */
  readonly path: string | undefined
  document(): Promise<OpenApiDocument>
  /** Answers a request for the document. */
  answer(call: Call): Promise<Reply>
}

/**
 * Creates the document on first use and keeps it, so that start-up neither loads zod's schemas nor walks the catalogue.
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
      // Readable by pages of other origins. Caches must revalidate, because the document changes with the platform's
      // code.
      const headers = { etag, 'cache-control': 'no-cache', 'access-control-allow-origin': '*' }
      return isKnown(request.headers.get('if-none-match'), etag)
        ? { status: 304, body: null, headers }
        : { status: 200, body: text, headers }
    },
  }
}

/** Returns the first call's promise to every call. After a failure, the next call tries again. */
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

/** Matches `If-None-Match` (RFC 9110, 13.1.2). A tag may be weak, because a proxy that compresses weakens it. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()))
}
