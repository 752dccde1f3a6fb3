/** The options of `callboard listen`. */
export interface ListenSettings {
  /** Address of the API, up to `/v1`. */
  readonly url: string
  readonly key: string
  /** Undefined: every type in the catalogue. */
  readonly eventTypes: readonly string[] | undefined
  /** The server that events are forwarded to; undefined: none. */
  readonly forwardTo: URL | undefined
  /** Whether to print the signing secret. */
  readonly printSecret: boolean
  readonly signal: AbortSignal
}
