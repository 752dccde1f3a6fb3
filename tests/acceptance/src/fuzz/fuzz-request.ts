import type { KeyName } from './fuzzed-platform.ts'

/** A request as plain data, so that a counterexample is readable. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  /** The query without the `?`; empty if there is none. */
  readonly query: string
  readonly authorization: Authorization
  readonly headers: readonly (readonly [string, string])[]
  /** Undefined if there is no body. */
  readonly body: FuzzBody | undefined
}

export type Authorization =
  | { readonly key: KeyName; readonly scheme: string }
  /** Values of the `authorization` header, none of them with a valid key. */
  | { readonly values: readonly string[] }
  | { readonly key: KeyName; readonly twice: true }

export interface FuzzBody {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  /** Whether the body is sent in pieces, without a length. */
  readonly chunked: boolean
  /** Whether the body is JSON that the API accepts, with a matching content type. */
  readonly valid: boolean
}

/** The platform's data that a request can refer to. */
export interface Known {
  readonly cursors: readonly string[]
  readonly feedCursors: readonly string[]
  readonly events: readonly string[]
  readonly subscriptions: readonly string[]
  readonly delivered: readonly string[]
}

export const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'
export const SOURCE_ADDRESSES = '/v1/webhooks/source-addresses'
