import { sha256 } from '#crypto'

/** What makes two API-made subscriptions of an account and mode the same (decisions, “Subscriptions”). */
export interface SubscriptionIdentity {
  readonly integration: string
  /** The target after URL normalisation. */
  readonly normalizedUrl: string
  /** In any order. */
  readonly eventTypes: readonly string[]
  readonly externalRef: string | undefined
}

/** SHA-256 of the identity; a unique index over it makes racing creates one. */
export function subscriptionIdentity({
  integration,
  normalizedUrl,
  eventTypes,
  externalRef,
}: SubscriptionIdentity): Uint8Array | Promise<Uint8Array> {
  const said = JSON.stringify([integration, normalizedUrl, [...new Set(eventTypes)].sort(), externalRef ?? null])
  return sha256(said)
}
