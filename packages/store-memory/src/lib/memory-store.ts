import type { Store } from '@callboard/core/store'
import { createMemoryState } from './memory-state.ts'
import { createAccountStore } from './stores/account-store.ts'
import { createAdmissionStore } from './stores/admission-store.ts'
import { createAuditStore } from './stores/audit-store.ts'
import { createDeliveryLog } from './stores/delivery-log.ts'
import { createDeliveryStore } from './stores/delivery-store.ts'
import { createEventStore } from './stores/event-store.ts'
import { createHealthStore } from './stores/health-store.ts'
import { createKeyStore } from './stores/key-store.ts'
import { createMaintenanceStore } from './stores/maintenance-store.ts'
import { createSubscriptionStore } from './stores/subscription-store.ts'
import { createVersionStore } from './stores/version-store.ts'
import { survey } from './survey.ts'

export interface MemoryStoreOptions {
  /** The store's clock, in milliseconds since the epoch; `Date.now` by default. */
  readonly now?: (() => number) | undefined
}

/**
 * Creates a store in the memory of this process, for tests and experiments. Every method runs in one synchronous step,
 * so no caller sees a partial change. `tx` is ignored: events are published at once.
 */
export function createMemoryStore({ now = Date.now }: MemoryStoreOptions = {}): Store<unknown> {
  const state = createMemoryState(now)
  return {
    subscriptions: createSubscriptionStore(state),
    accounts: createAccountStore(state),
    keys: createKeyStore(state),
    deliveryLog: createDeliveryLog(state),
    versions: createVersionStore(state),
    audit: createAuditStore(state),
    admission: createAdmissionStore(state),
    events: createEventStore(state),
    deliveries: createDeliveryStore(state),
    maintenance: createMaintenanceStore(state),
    health: createHealthStore(state),
    async ready() {},
    survey: async (latelyMs) => survey(state, latelyMs),
  }
}
