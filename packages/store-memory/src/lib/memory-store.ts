import type { Store } from '@callboard/core/store'
import { createAccountStore } from './accounts.ts'
import { createAdmissionStore } from './admission.ts'
import { createAuditStore } from './audit.ts'
import { createDeliveryStore } from './deliveries.ts'
import { createDeliveryLog } from './delivery-log.ts'
import { createEventStore } from './events.ts'
import { createHealthStore } from './health.ts'
import { createKeyStore } from './keys.ts'
import { createMaintenanceStore } from './maintenance.ts'
import { createMemoryState } from './memory-state.ts'
import { createSubscriptionStore } from './subscriptions.ts'
import { survey } from './survey.ts'
import { createVersionStore } from './versions.ts'

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
