import { describe } from 'vitest'
import { describeAccountRaces } from './account-races.ts'
import { describeDeliveryRaces } from './delivery-races.ts'
import type { RaceFixture } from './fixtures.ts'
import { describeKeyRaces } from './key-races.ts'
import { describePublishingRaces } from './publishing-races.ts'
import { describeSequencingRaces } from './sequencing-races.ts'
import { raceIt } from './store-it.ts'
import { describeSubscriptionRaces } from './subscription-races.ts'
import { TIMEOUT_MS } from './timeout.ts'

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
