import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'

/** Whether a subscription is sent personal data, and why, as the end of a sentence. */
export interface PersonalDataSent {
  readonly sent: boolean
  readonly why: string
}

/** As a worker decides it at each try: by the key that confirmed the subscription, or by the choice that was made here. */
export async function personalDataSent(subscription: SubscriptionRecord, call: Call): Promise<PersonalDataSent> {
  const { source, personalData = false, confirmedBy, accountId } = subscription
  if (source === 'dashboard')
    return {
      sent: personalData,
      why: personalData ? 'it was chosen for this subscription' : 'it was not chosen for this subscription',
    }
  const key = confirmedBy === undefined ? undefined : await call.callboard.keys.find(accountId, confirmedBy)
  const ended =
    key?.revokedAt !== undefined || (key?.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) <= call.callboard.now()
  if (key === undefined || ended) return { sent: false, why: 'the API key of this subscription is no longer valid' }
  return key.scopes.includes('people.read')
    ? { sent: true, why: 'the API key of this subscription has the scope people.read' }
    : { sent: false, why: 'the API key of this subscription does not have the scope people.read' }
}
