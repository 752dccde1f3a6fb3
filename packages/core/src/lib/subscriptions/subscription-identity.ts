import { sha256 } from '#crypto'

/**
 * The fields that identify a subscription created through the API. Two such subscriptions of an account and mode count
 * as the same if all of these fields are equal.
 */
export interface SubscriptionIdentity {
  readonly integration: string
  /** The target after URL normalisation. */
  readonly normalizedUrl: string
  /** In any order. */
  readonly eventTypes: readonly string[]
  readonly externalRef: string | undefined
}

/**
 * SHA-256 of the identity. A unique index on the hash ensures that only one of several racing calls creates the
 * subscription.
 */
export function subscriptionIdentity({
  integration,
  normalizedUrl,
  eventTypes,
  externalRef,
}: SubscriptionIdentity): Uint8Array | Promise<Uint8Array> {
  const said = JSON.stringify([integration, normalizedUrl, [...new Set(eventTypes)].sort(), externalRef ?? null])
  return sha256(said)
}
