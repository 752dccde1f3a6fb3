import { describe } from 'vitest'
import { describeAccountRaces } from './accounts/account-races.ts'
import type { RaceFixture } from './arranging/fixtures.ts'
import { raceIt } from './arranging/store-it.ts'
import { TIMEOUT_MS } from './arranging/timeout.ts'
import { describeKeyRaces } from './keys/key-races.ts'
import { describeDeliveryRaces } from './lanes/delivery-races.ts'
import { describePublishingRaces } from './publishing/publishing-races.ts'
import { describeSequencingRaces } from './sequencing/sequencing-races.ts'
import { describeSubscriptionRaces } from './subscriptions/subscription-races.ts'

/** Tests what the ports promise to concurrent callers, on one node and on two. For stores with several connections. */
export function describeRaces<Tx>(name: string, factory: () => Promise<RaceFixture<Tx>>): void {
  describe(`a store with concurrent callers: ${name}`, { timeout: TIMEOUT_MS }, () => {
    const it = raceIt(factory)
    describeAccountRaces(it)
    describeKeyRaces(it)
    describePublishingRaces(it)
    describeSubscriptionRaces(it)
    describeSequencingRaces(it)
    describeDeliveryRaces(it)
  })
}
