import type { KeyName } from './fuzzed-platform.ts'

/** A request as plain data, so that a counterexample is readable. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  /** Without the `?`; empty for none. */
  readonly query: string
  readonly authorization: Authorization
  readonly headers: readonly (readonly [string, string])[]
  /** Undefined for none. */
  readonly body: FuzzBody | undefined
}

export type Authorization =
  | { readonly key: KeyName; readonly scheme: string }
  /** Values of the header, none of them with a valid key. */
  | { readonly values: readonly string[] }
  | { readonly key: KeyName; readonly twice: true }

export interface FuzzBody {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  /** Whether it is sent in pieces, without a length. */
  readonly chunked: boolean
  /** Whether it is JSON that the API accepts, sent as such. */
  readonly valid: boolean
}

/** The platform's data that a request may refer to. */
export interface Known {
  readonly cursors: readonly string[]
  readonly subscriptions: readonly string[]
}

export const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'
