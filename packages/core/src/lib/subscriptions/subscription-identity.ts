import { sha256 } from '#crypto'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'
import type { SubscriptionRules } from './subscription-rules.ts'

/**
 * The fields that identify a subscription created through the API. Two such subscriptions of an account and mode count
 * as the same if all of these fields are equal.
 */
export type SubscriptionIdentity = Pick<SubscriptionRecord, 'integration' | 'targetUrl' | 'eventTypes' | 'externalRef'>

/**
 * SHA-256 of the identity, with the target after URL normalisation and the event types in any order. A unique index on
 * the hash ensures that only one of several racing calls gives a subscription this identity.
 */
export function subscriptionIdentity(
  { integration, targetUrl, eventTypes, externalRef }: SubscriptionIdentity,
  { judgeTarget }: Pick<SubscriptionRules, 'judgeTarget'>,
): Uint8Array | Promise<Uint8Array> {
  const target = judgeTarget(targetUrl)
  const url = target.ok ? target.normalized : targetUrl
  const said = JSON.stringify([integration, url, [...new Set(eventTypes)].sort(), externalRef ?? null])
  return sha256(said)
}
