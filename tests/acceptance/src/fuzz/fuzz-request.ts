import type { KeyName } from './fuzzed-platform.ts'

/** A request as plain data, so that one which was answered badly can be read. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  /** Without its `?`; '' for none. */
  readonly query: string
  readonly authorization: Authorization
  readonly headers: readonly (readonly [string, string])[]
  /** Undefined: none. */
  readonly body: FuzzBody | undefined
}

export type Authorization =
  | { readonly key: KeyName; readonly scheme: string }
  /** Values of the header, none of which is a valid key's. */
  | { readonly values: readonly string[] }
  | { readonly key: KeyName; readonly twice: true }

export interface FuzzBody {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  /** Sent in pieces, without a length. */
  readonly chunked: boolean
  /** It is JSON that the contract accepts, sent as such. */
  readonly valid: boolean
}

/** What the platform has that a request may name. */
export interface Known {
  readonly cursors: readonly string[]
  readonly subscriptions: readonly string[]
}

export const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'
