import type { KeyRecord, SubscriptionRecord } from '@callboard/core'
import { standingOf } from '@callboard/core/engine'
import type { Call } from '../../call.ts'

/**
 * Whether a subscription receives personal data, and why. `why` completes “Personal data is sent: …” or “Personal data
 * is not sent: …”.
 */
export interface PersonalDataSent {
  readonly sent: boolean
  readonly why: string
}

/** Decides whether personal data is sent, by the rule that workers apply at each attempt, and explains why. */
export async function personalDataSent(subscription: SubscriptionRecord, call: Call): Promise<PersonalDataSent> {
  const key = await validKey(subscription, call)
  const sent = standingOf({ ...subscription, state: 'active' }, key).personalData
  const words = call.texts.deliveries.personalData
  if (subscription.confirmedBy === undefined) return { sent, why: sent ? words.selected : words.notSelected }
  if (key === undefined) return { sent, why: words.keyEnded }
  return { sent, why: sent ? words.keyAllows('people.read') : words.keyForbids('people.read') }
}

/** Whether nothing is delivered because the subscription's API key was revoked or has expired. */
export async function isKeyEnded(subscription: SubscriptionRecord, call: Call): Promise<boolean> {
  return subscription.confirmedBy !== undefined && (await validKey(subscription, call)) === undefined
}

/**
 * The API key on which the subscription depends (`confirmedBy`); undefined if there is no such key, or if the key is no
 * longer valid.
 */
async function validKey(
  { accountId, confirmedBy }: SubscriptionRecord,
  { callboard, engine }: Call,
): Promise<KeyRecord | undefined> {
  const key = confirmedBy === undefined ? undefined : await callboard.keys.find({ accountId, id: confirmedBy })
  if (key === undefined || key.revokedAt !== undefined) return undefined
  return key.expiresAt === undefined || key.expiresAt.getTime() > engine.now() ? key : undefined
}
