import { keySeesPersonalData } from '../personal-data/who-may-see.ts'
import type { KeyRecord } from '../ports/key-store.ts'
import type { LaneStanding } from '../ports/leased-lane.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'

/**
 * Whether a subscription's deliveries may be sent at this moment, and whether they may contain personal data. Nothing
 * may be sent while the subscription is disabled. If the subscription has a confirming key (`confirmedBy`), the key
 * decides both. A subscription created in the dashboard, or imported and not confirmed since, has none: deliveries may
 * be sent, and `personalData` decides whether they may contain personal data.
 *
 * @param key the confirming key; undefined when there is none, or when it is revoked or expired.
 */
export function standingOf(
  { state, confirmedBy, personalData }: Pick<SubscriptionRecord, 'state' | 'confirmedBy' | 'personalData'>,
  key: Pick<KeyRecord, 'scopes'> | undefined,
): LaneStanding {
  if (state === 'disabled') return { deliverable: false, disable: undefined, personalData: false }
  if (confirmedBy === undefined) return { deliverable: true, disable: undefined, personalData: personalData ?? false }
  if (key === undefined) return { deliverable: false, disable: 'key', personalData: false }
  return { deliverable: true, disable: undefined, personalData: keySeesPersonalData(key.scopes) }
}
