/** The options of `callboard listen`. */
export interface ListenSettings {
  /** Address of the API, without `/v1`. */
  readonly url: string
  readonly key: string
  /** Undefined means every event type in the catalogue. */
  readonly eventTypes: readonly string[] | undefined
  /** The server to forward events to; undefined if events are not forwarded. */
  readonly forwardTo: URL | undefined
  /** Whether to print the signing secret. */
  readonly printSecret: boolean
  readonly signal: AbortSignal
}
