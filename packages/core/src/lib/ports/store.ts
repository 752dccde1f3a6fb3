import type { AccountStore } from './account-store.ts'
import type { AdmissionStore } from './admission-store.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { EventStore } from './event-store.ts'
import type { HealthStore } from './health-store.ts'
import type { KeyStore } from './key-store.ts'
import type { MaintenanceStore } from './maintenance-store.ts'
import type { StoreSurvey } from './store-survey.ts'
import type { SubscriptionStore } from './subscription-store.ts'

/**
 * All that Callboard keeps, in the domain's words. A store passes the whole suite of `@callboard/store-conformance`.
 * A store that is out of reach throws `UNAVAILABLE`; anything else it throws is a fault.
 *
 * @typeParam Tx what the caller's own transaction is to this store.
 */
export interface Store<Tx> {
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly admission: AdmissionStore
  readonly events: EventStore<Tx>
  readonly subscriptions: SubscriptionStore
  readonly deliveries: DeliveryStore
  readonly maintenance: MaintenanceStore
  readonly deliveryLog: DeliveryLog
  readonly health: HealthStore

  /** Resolves when the store can do its work; throws a typed error that says what is missing (out of reach, not migrated). */
  ready(): Promise<void>

  /**
   * Looks at the store for a person who asks what is wrong, and changes nothing. Answers also where `ready` throws, as far as it can;
   * one that is out of reach throws `UNAVAILABLE`.
   *
   * @param latelyMs how far back to count subscriptions that were disabled.
   */
  survey(latelyMs: number): Promise<StoreSurvey>
}
