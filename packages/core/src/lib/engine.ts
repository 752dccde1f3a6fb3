import type { Admissions } from './admission/admission.ts'
import type { EventTexts } from './events/events.ts'
import type { GuardedHooks } from './hooks.ts'
import type { EventText } from './ports/event-store.ts'
import type { Store } from './ports/store.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import type { ApiSubscriptions } from './subscriptions/api-subscriptions.ts'
import type { AddressPolicy } from './targets/address-policy.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

/** The parts that router, worker, dashboard and tools use, and a platform does not need. */
export interface Engine<Tx = unknown> {
  readonly store: Store<Tx>
  readonly secretBox: SecretBox
  readonly admissions: Admissions
  /** Subscriptions as integrations create and remove them, with a key. */
  readonly apiSubscriptions: ApiSubscriptions
  readonly eventTexts: EventTexts
  readonly targets: AddressPolicy
  readonly hooks: GuardedHooks
  readonly telemetry: Telemetry | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The text of an event as a reader may see it. */
  renderEvent(event: EventText, personalData: boolean): string
  /** Calls the listener whenever events were published through this object. Returns a function that stops it. */
  onPublished(listener: () => void): () => void
}

/**
 * The key under which a Callboard holds its engine. A registered symbol, so that two copies of the package agree on it.
 */
export const ENGINE: unique symbol = Symbol.for('@callboard/core/engine')

/** The same Callboard with other hooks, for a worker with its own log. */
export function withHooks<C extends { readonly [ENGINE]: Engine }>(callboard: C, hooks: GuardedHooks): C {
  return { ...callboard, [ENGINE]: { ...callboard[ENGINE], hooks } }
}

export function engineOf<Tx>(callboard: { readonly [ENGINE]: Engine<Tx> }): Engine<Tx> {
  return callboard[ENGINE]
}
