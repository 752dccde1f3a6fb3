import { keySeesPersonalData } from '../personal-data/who-may-see.ts'
import type { LaneStanding } from '../ports/delivery-store.ts'
import type { KeyRecord } from '../ports/key-store.ts'
import type { SubscriptionRecord } from '../ports/subscription-store.ts'

/**
 * Whether a subscription's deliveries may be sent at this moment, and whether with personal data. For a subscription
 * created through the API the confirming key decides; for one created in the dashboard, the choice made there.
 *
 * @param key the confirming key; undefined when there is none, or it is revoked or expired.
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

/** The current standing of a lane leased earlier. A lease read without personal data has none to send. */
export function standingSince(leased: LaneStanding, now: LaneStanding): LaneStanding {
  return { ...now, personalData: now.personalData && leased.personalData }
}
