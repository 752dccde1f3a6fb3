import { sha256 } from '#crypto'

/**
 * Two subscriptions of an account and mode that were created through the API are the same if these fields are equal.
 */
export interface SubscriptionIdentity {
  readonly integration: string
  /** The target after URL normalisation. */
  readonly normalizedUrl: string
  /** In any order. */
  readonly eventTypes: readonly string[]
  readonly externalRef: string | undefined
}

/** SHA-256 of the identity. A unique index on it lets only one of several racing creates succeed. */
export function subscriptionIdentity({
  integration,
  normalizedUrl,
  eventTypes,
  externalRef,
}: SubscriptionIdentity): Uint8Array | Promise<Uint8Array> {
  const said = JSON.stringify([integration, normalizedUrl, [...new Set(eventTypes)].sort(), externalRef ?? null])
  return sha256(said)
}
