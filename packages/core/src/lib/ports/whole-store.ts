import type { AccountStore } from './account-store.ts'
import type { AdmissionStore } from './admission-store.ts'
import type { AuditStore } from './audit-store.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { EventStore } from './event-store.ts'
import type { HealthStore } from './health-store.ts'
import type { KeyStore } from './key-store.ts'
import type { MaintenanceStore } from './maintenance-store.ts'
import type { StoreSurvey } from './store-survey.ts'
import type { SubscriptionStore } from './subscription-store.ts'
import type { VersionStore } from './version-store.ts'

/**
 * Stores all of Callboard's data. The suites in packages/store-conformance test what these interfaces promise. A method
 * throws `UNAVAILABLE` when the store cannot be reached. Any other error that the docstring of the method does not name
 * is a bug.
 *
 * @typeParam Tx the type of the caller's own transaction for this store.
 */
export interface Store<Tx> {
  readonly accounts: AccountStore<Tx>
  readonly keys: KeyStore
  readonly admission: AdmissionStore
  readonly events: EventStore<Tx>
  readonly subscriptions: SubscriptionStore
  readonly deliveries: DeliveryStore
  readonly maintenance: MaintenanceStore
  readonly deliveryLog: DeliveryLog
  readonly health: HealthStore
  readonly versions: VersionStore
  readonly audit: AuditStore

  /**
   * Resolves when the store is ready for use. Otherwise throws a typed error that says why: unreachable or not
   * migrated.
   */
  ready(): Promise<void>

  /**
   * Diagnoses the store and its work without changing anything. If the store is not migrated, reports as much as it
   * can. Throws `UNAVAILABLE` when the store cannot be reached.
   *
   * @param latelyMs how far back to count disabled subscriptions, in milliseconds.
   */
  survey(latelyMs: number): Promise<StoreSurvey>
}

/** The ports of a store by name. */
type Ports = Omit<Store<unknown>, 'ready' | 'survey'>

/** The first parameter of a port's method, such as `RequestOf<'keys', 'rotateKey'>`. */
export type RequestOf<Port extends keyof Ports, Method extends keyof Ports[Port]> = Ports[Port][Method] extends (
  request: infer Request,
  ...others: never[]
) => unknown
  ? Request
  : never

/** What a port's method resolves to, such as `ResultOf<'keys', 'rotateKey'>`. */
export type ResultOf<Port extends keyof Ports, Method extends keyof Ports[Port]> = Ports[Port][Method] extends (
  ...parameters: never[]
) => Promise<infer Result>
  ? Result
  : never
