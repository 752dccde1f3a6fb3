/** What `callboard listen` was asked for. */
export interface ListenSettings {
  /** Where the API is, up to `/v1`. */
  readonly url: string
  readonly key: string
  /** Undefined: every type that there is. */
  readonly eventTypes: readonly string[] | undefined
  /** Where events are sent on to; undefined: nowhere. */
  readonly forwardTo: URL | undefined
  /** Whether the signing secret is told. */
  readonly printSecret: boolean
  readonly signal: AbortSignal
}
