import { generateSecret } from '@callboard/signature'
import type { Recorder } from '../audit/recorder.ts'
import { CallboardError } from '../errors.ts'
import { createId } from '../id.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'
import type { NewSubscription, SubscriptionLimits, SubscriptionStore } from '../ports/subscription-store.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Formats } from '../versions/formats.ts'

/** A subscription with its signing secret, as returned to its creator. */
export interface SubscriptionWithSecret extends SubscriptionRecord {
  /** False when a subscription with the same identity already existed. */
  readonly created: boolean
  readonly secret: string
}

export interface SubscriptionKeeping {
  readonly store: SubscriptionStore
  readonly recorder: Recorder
  readonly secretBox: SecretBox
  readonly formats: Formats
  readonly limits: SubscriptionLimits
}

/**
 * Stores a subscription with a new secret. If a subscription with the same identity exists, returns the existing
 * subscription with its current secret.
 */
export async function storeSubscription(
  { store, recorder, secretBox, limits }: SubscriptionKeeping,
  draft: Omit<NewSubscription, 'id' | 'sealedSecret'>,
): Promise<SubscriptionWithSecret> {
  const id = createId('sub')
  const secret = generateSecret()
  const sealedSecret = await secretBox.seal(id, secret)
  const { accountId, mode, integration } = draft
  await recorder.admitChange(accountId)
  const note = { action: 'subscription.created', accountId, mode, objectId: id, details: { integration } } as const
  const result = await store.createSubscription({ ...draft, id, sealedSecret }, limits, recorder.entry(note))
  if (result.outcome === 'limit_reached') throw limitReached(limits.total)
  if (result.outcome === 'too_many_new') throw tooManyNew(limits.newPerMinute, result.retryAfterMs)
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

export function limitReached(limit: number): CallboardError {
  return new CallboardError(
    'SUBSCRIPTION_LIMIT_REACHED',
    `The account has reached its limit of ${limit} ${limit === 1 ? 'subscription' : 'subscriptions'}. Remove one first.`,
  )
}

function tooManyNew(limit: number, retryAfterMs: number): CallboardError {
  const retryAfter = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new CallboardError(
    'RATE_LIMITED',
    `The account has reached its limit of ${limit} new ${limit === 1 ? 'subscription' : 'subscriptions'} a minute. ` +
      `Try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`,
    { retryAfter },
  )
}
