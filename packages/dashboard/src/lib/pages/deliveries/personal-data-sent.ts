import type { KeyRecord, SubscriptionRecord } from '@callboard/core'
import { standingOf } from '@callboard/core/engine'
import type { Call } from '../../call.ts'

/** Whether a subscription is sent personal data, and why, as the end of a sentence. */
export interface PersonalDataSent {
  readonly sent: boolean
  readonly why: string
}

/** As a worker decides it at each attempt; the words say by what. */
export async function personalDataSent(subscription: SubscriptionRecord, call: Call): Promise<PersonalDataSent> {
  const key = await validKey(subscription, call)
  const sent = standingOf({ ...subscription, state: 'active' }, key).personalData
  if (subscription.source === 'dashboard')
    return { sent, why: sent ? 'it was chosen for this subscription' : 'it was not chosen for this subscription' }
  if (key === undefined) return { sent, why: 'the API key of this subscription is no longer valid' }
  return {
    sent,
    why: `the API key of this subscription ${sent ? 'has' : 'does not have'} the scope people.read`,
  }
}

/** The key that confirms the subscription, if it still counts. */
async function validKey(
  { accountId, confirmedBy }: SubscriptionRecord,
  { callboard, engine }: Call,
): Promise<KeyRecord | undefined> {
  const key = confirmedBy === undefined ? undefined : await callboard.keys.find(accountId, confirmedBy)
  if (key === undefined || key.revokedAt !== undefined) return undefined
  return key.expiresAt === undefined || key.expiresAt.getTime() > engine.now() ? key : undefined
}
