import { describe, expect } from 'vitest'
import { describeAccounts } from './accounts.ts'
import { describeActivity } from './activity.ts'
import { describeAdmission } from './admission.ts'
import { describeAttemptsByHour } from './attempts-by-hour.ts'
import { describeAttending } from './attending.ts'
import { describeAuditing } from './auditing.ts'
import { describeAwaitingWork } from './awaiting-work.ts'
import { describeChangingSubscriptions } from './changing-subscriptions.ts'
import { describeErasing } from './erasing.ts'
import { describeEventSearch } from './event-search.ts'
import { describeEvents } from './events.ts'
import { describeExpiring } from './expiring.ts'
import { describeFailing } from './failing.ts'
import { describeFailures } from './failures.ts'
import { describeFencing } from './fencing.ts'
import type { StoreFixture } from './fixtures.ts'
import { describeHealth } from './health.ts'
import { describeHoldingBack } from './holding-back.ts'
import { describeKeys } from './keys.ts'
import { describeLeasing } from './leasing.ts'
import { describeListing } from './listing.ts'
import { describeListingByState } from './listing-by-state.ts'
import { describeOrdering } from './ordering.ts'
import { describeOverview } from './overview.ts'
import { describeProbesAndSuspects } from './probes-and-suspects.ts'
import { describePublishing } from './publishing.ts'
import { describeResending } from './resending.ts'
import { describeResendingRanges } from './resending-ranges.ts'
import { describeRetaining } from './retaining.ts'
import { describeSealedSecrets } from './sealed-secrets.ts'
import { describeSequencing } from './sequencing.ts'
import { describeSequencingAndLeasing } from './sequencing-and-leasing.ts'
import { describeSettling } from './settling.ts'
import { describeStanding } from './standing.ts'
import { storeIt } from './store-it.ts'
import { describeSubscriptionStates } from './subscription-states.ts'
import { describeSubscriptions } from './subscriptions.ts'
import { describeSurveying } from './surveying.ts'
import { describeSwitching } from './switching.ts'
import { TIMEOUT_MS } from './timeout.ts'
import { describeTroubled } from './troubled.ts'
import { describeVersions } from './versions.ts'

/**
 * Tests what the ports promise. For every store; one connection is enough. Call it in a test file, with the store's
 * name and a factory. Each test calls the factory to get its own fixture.
 */
export function describeStore<Tx>(name: string, factory: () => Promise<StoreFixture<Tx>>): void {
  describe(`a store: ${name}`, { timeout: TIMEOUT_MS }, () => {
    const it = storeIt(factory)

    it('is ready for work', async ({ store }) => {
      await expect(store.ready()).resolves.toBeUndefined()
    })

    describeAccounts(it)
    describeKeys(it)
    describeAdmission(it)
    describePublishing(it)
    describeEvents(it)
    describeSubscriptions(it)
    describeSubscriptionStates(it)
    describeChangingSubscriptions(it)
    describeSealedSecrets(it)
    describeSequencing(it)
    describeLeasing(it)
    describeSequencingAndLeasing(it)
    describeProbesAndSuspects(it)
    describeStanding(it)
    describeSettling(it)
    describeFencing(it)
    describeSwitching(it)
    describeAttending(it)
    describeAwaitingWork(it)
    describeFailing(it)
    describeErasing(it)
    describeListing(it)
    describeListingByState(it)
    describeFailures(it)
    describeEventSearch(it)
    describeResending(it)
    describeResendingRanges(it)
    describeRetaining(it)
    describeExpiring(it)
    describeOrdering(it)
    describeSurveying(it)
    describeTroubled(it)
    describeOverview(it)
    describeHealth(it)
    describeHoldingBack(it)
    describeAttemptsByHour(it)
    describeActivity(it)
    describeVersions(it)
    describeAuditing(it)
  })
}
