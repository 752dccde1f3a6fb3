import { keySeesPersonalData } from '../personal-data/who-may-see.ts'
import type { LaneStanding } from '../ports/delivery-store.ts'
import type { KeyRecord } from '../ports/key-store.ts'
import type { SubscriptionRecord } from '../ports/subscription-store.ts'

/**
 * Whether a subscription's deliveries may be sent at this moment, and whether they may contain personal data. For a
 * subscription created through the API, the confirming key decides both. For a subscription created in the dashboard,
 * `personalData`, the choice made there, decides whether personal data may be sent.
 *
 * @param key the confirming key; undefined when there is none, or when it is revoked or expired.
 */
export function standingOf(
  { state, source, personalData }: Pick<SubscriptionRecord, 'state' | 'source' | 'personalData'>,
  key: Pick<KeyRecord, 'scopes'> | undefined,
): LaneStanding {
  if (state === 'disabled') return { deliverable: false, hold: undefined, personalData: false }
  if (source === 'dashboard') return { deliverable: true, hold: undefined, personalData: personalData ?? false }
  if (key === undefined) return { deliverable: false, hold: 'key', personalData: false }
  return { deliverable: true, hold: undefined, personalData: keySeesPersonalData(key.scopes) }
}

/**
 * Combines the standing at the time of the lease with the current standing. Personal data may be sent only if both
 * standings allow it: if the standing at the time of the lease did not, the events were read without their personal
 * data.
 */
export function standingSince(leased: LaneStanding, now: LaneStanding): LaneStanding {
  return { ...now, personalData: now.personalData && leased.personalData }
}
