import type { Caller } from '../ports/admission-store.ts'
import type { BackfillRecord } from '../ports/subscription-store.ts'
import { parseBackfill } from './backfill-input.ts'
import { type BackfillKeeping, cancelBackfill, lastBackfill, startBackfill } from './backfills.ts'
import { findApiSubscription } from './find-api-subscription.ts'

/**
 * The methods with which integrations backfill their subscriptions through the API. Every method throws `NOT_FOUND` if
 * the caller's account and mode have no such subscription, or if the subscription was not created through the API.
 */
export interface ApiBackfills {
  /**
   * Starts or extends a backfill, as `Subscriptions.startBackfill` does. Also throws `VALIDATION_FAILED`,
   * `SUBSCRIPTION_DISABLED` and `RATE_LIMITED`. The subscription keeps its confirming key.
   */
  start(caller: Caller, subscriptionId: string, input: unknown): Promise<BackfillRecord>
  /** Reads the last backfill. Throws `NOT_FOUND` if there was none. */
  find(caller: Caller, subscriptionId: string): Promise<BackfillRecord>
  /** Ends a backfill, as `Subscriptions.cancelBackfill` does. */
  cancel(caller: Caller, subscriptionId: string): Promise<BackfillRecord>
}

/**
 * @param keepingFor returns the dependencies for a request, given the id of its key. Their recorder records each change
 *   as a change by that key.
 */
export function createApiBackfills(keepingFor: (keyId: string) => BackfillKeeping): ApiBackfills {
  return {
    async start(caller, id, input) {
      const options = parseBackfill(input)
      const keeping = keepingFor(caller.keyId)
      return startBackfill(keeping, await findApiSubscription(keeping.store, caller, id), options)
    },
    async find(caller, id) {
      const keeping = keepingFor(caller.keyId)
      return lastBackfill(keeping, await findApiSubscription(keeping.store, caller, id))
    },
    async cancel(caller, id) {
      const keeping = keepingFor(caller.keyId)
      return cancelBackfill(keeping, await findApiSubscription(keeping.store, caller, id))
    },
  }
}
