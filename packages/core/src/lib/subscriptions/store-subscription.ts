import { generateSecret } from '@callboard/signature'
import { CallboardError } from '../errors.ts'
import { createId } from '../id.ts'
import type { NewSubscription, SubscriptionRecord, SubscriptionStore } from '../ports/subscription-store.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

/** A subscription with its signing secret, as returned to its creator. */
export interface SubscriptionWithSecret extends SubscriptionRecord {
  /** False when a subscription with the same identity already existed. */
  readonly created: boolean
  readonly secret: string
}

export interface SubscriptionKeeping {
  readonly store: SubscriptionStore
  readonly secretBox: SecretBox
  readonly apiVersion: string
  /** The most subscriptions an account can have in each mode. */
  readonly limit: number
}

/**
 * Stores a subscription with a new secret. If a subscription with the same identity exists, returns the existing
 * subscription with its current secret.
 */
export async function storeSubscription(
  { store, secretBox, apiVersion, limit }: SubscriptionKeeping,
  draft: Omit<NewSubscription, 'id' | 'apiVersion' | 'sealedSecret'>,
): Promise<SubscriptionWithSecret> {
  const id = createId('sub')
  const secret = generateSecret()
  const sealedSecret = await secretBox.seal(id, secret)
  const result = await store.create({ ...draft, id, apiVersion, sealedSecret }, limit)
  if (result.outcome === 'limit_reached') throw limitReached(limit)
  const { subscription, outcome } = result
  if (outcome === 'created') return { ...subscription, created: true, secret }
  return { ...subscription, created: false, secret: await openSecret(secretBox, subscription) }
}

/** Opens the current signing secret of a subscription. */
export async function openSecret(
  secretBox: SecretBox,
  { id, secrets: [current] }: SubscriptionRecord,
): Promise<string> {
  if (current === undefined) throw new Error(`subscription ${id} has no secret`)
  return secretBox.open(id, current.sealed)
}

function limitReached(limit: number): CallboardError {
  return new CallboardError(
    'SUBSCRIPTION_LIMIT_REACHED',
    `The account has reached its limit of ${limit} ${limit === 1 ? 'subscription' : 'subscriptions'}. Remove one first.`,
  )
}
