import { describe, expect } from 'vitest'
import { describeAccounts } from './accounts/accounts.ts'
import { describeAuditing } from './accounts/auditing.ts'
import { describeVersions } from './accounts/versions.ts'
import type { StoreFixture } from './arranging/fixtures.ts'
import { storeIt } from './arranging/store-it.ts'
import { TIMEOUT_MS } from './arranging/timeout.ts'
import { describeActivity } from './health/activity.ts'
import { describeAttemptsByHour } from './health/attempts-by-hour.ts'
import { describeHealth } from './health/health.ts'
import { describeOverview } from './health/overview.ts'
import { describeSurveying } from './health/surveying.ts'
import { describeTroubled } from './health/troubled.ts'
import { describeAdmission } from './keys/admission.ts'
import { describeKeys } from './keys/keys.ts'
import { describeAttending } from './lanes/attending.ts'
import { describeBackfilling } from './lanes/backfilling.ts'
import { describeExpiring } from './lanes/expiring.ts'
import { describeFailing } from './lanes/failing.ts'
import { describeFencing } from './lanes/fencing.ts'
import { describeHoldingBack } from './lanes/holding-back.ts'
import { describeLeasing } from './lanes/leasing.ts'
import { describeOrdering } from './lanes/ordering.ts'
import { describeProbesAndSuspects } from './lanes/probes-and-suspects.ts'
import { describeResending } from './lanes/resending.ts'
import { describeResendingRanges } from './lanes/resending-ranges.ts'
import { describeSettling } from './lanes/settling.ts'
import { describeStanding } from './lanes/standing.ts'
import { describeSwitching } from './lanes/switching.ts'
import { describeErasing } from './maintenance/erasing.ts'
import { describeRetaining } from './maintenance/retaining.ts'
import { describePublishing } from './publishing/publishing.ts'
import { describeEventSearch } from './reading/event-search.ts'
import { describeEvents } from './reading/events.ts'
import { describeFailures } from './reading/failures.ts'
import { describeFeed } from './reading/feed.ts'
import { describeListing } from './reading/listing.ts'
import { describeListingByState } from './reading/listing-by-state.ts'
import { describeAwaitingWork } from './sequencing/awaiting-work.ts'
import { describeSequencing } from './sequencing/sequencing.ts'
import { describeSequencingAndLeasing } from './sequencing/sequencing-and-leasing.ts'
import { describeChangingSubscriptions } from './subscriptions/changing-subscriptions.ts'
import { describeImporting } from './subscriptions/importing.ts'
import { describeRevisingSubscriptions } from './subscriptions/revising-subscriptions.ts'
import { describeSealedSecrets } from './subscriptions/sealed-secrets.ts'
import { describeSubscriptionStates } from './subscriptions/subscription-states.ts'
import { describeSubscriptions } from './subscriptions/subscriptions.ts'

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
    describeFeed(it)
    describeSubscriptions(it)
    describeSubscriptionStates(it)
    describeChangingSubscriptions(it)
    describeRevisingSubscriptions(it)
    describeSealedSecrets(it)
    describeImporting(it)
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
    describeBackfilling(it)
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
