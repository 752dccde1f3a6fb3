import { CallboardError } from '@callboard/core'
import type { AnyCallboard } from '@callboard/core/engine'
import { isPlainPath } from '@callboard/handler'
import type { Call } from '../call.ts'
import type { Reply } from '../reply.ts'
import type { OpenApiDocument, OpenApiInfo, OpenApiServer } from './openapi-document.ts'

/** The OpenAPI document of `/v1`. */
export interface OpenApiOptions {
  /** Where it is served, below `basePath` and without a key; `/openapi.json` by default, `false` for nowhere. Not below `/v1`. */
  readonly path?: string | false | undefined
  /** What it says of the platform, field by field: a title, a contact … */
  readonly info?: Partial<OpenApiInfo> | undefined
  /** Where the API is reached: the address before `/v1`, without a slash at its end. `basePath` on the same host by default. */
  readonly servers?: readonly OpenApiServer[] | undefined
}

export interface OpenApi {
  /** Below the base path; undefined: it is not served. */
  readonly path: string | undefined
  document(): Promise<OpenApiDocument>
  /** Answers a request for it. */
  answer(call: Call): Promise<Reply>
}

/**
 * Makes the document when it is first asked for, and keeps it: loading zod's schemas and walking the catalogue's is no part
 * of starting up.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a path that is none, or is below `/v1`.
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
      // Pages of other origins show it too. It changes with the platform's code: whoever keeps it asks whether it did.
      const headers = { etag, 'cache-control': 'no-cache', 'access-control-allow-origin': '*' }
      return isKnown(request.headers.get('if-none-match'), etag)
        ? { status: 304, body: null, headers }
        : { status: 200, body: text, headers }
    },
  }
}

/** The first call's promise for every call, unless it failed: then the next one tries again. */
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

/** `If-None-Match` (RFC 9110, 13.1.2): any, or a list, in which what a proxy has compressed is weak. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()))
}
