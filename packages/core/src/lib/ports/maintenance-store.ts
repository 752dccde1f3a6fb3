import type { Mode } from '../mode.ts'

/** Where an event is kept. */
export interface EventKey {
  readonly accountId: string
  readonly mode: Mode
  readonly id: string
}

/** An event that may hold personal data. */
export interface ErasableEvent extends EventKey {
  readonly type: string
  readonly body: string
  readonly fingerprint: string
}

/** What is to be left of an event. */
export interface ErasedEvent extends EventKey {
  /** The fingerprint it was read with: under another one somebody else has erased it meanwhile, and nothing is written. */
  readonly from: string
  /** Its envelope without what is personal data today; undefined: as it is. */
  readonly body: string | undefined
}

export interface PersonRef {
  readonly accountId: string
  readonly mode: Mode
  readonly personId: string
}

export interface ErasureWalk {
  /** Undefined: every account. */
  readonly accountId: string | undefined
  /** By publish time. */
  readonly publishedBefore: Date
  /** The event types and the fingerprints that their events have today: one of those without a patch holds no personal data. */
  readonly current: readonly { readonly type: string; readonly fingerprint: string }[]
  /** Behind this event; undefined: from the first. */
  readonly after: EventKey | undefined
  /** Events looked at, at most. */
  readonly limit: number
}

export interface ErasureCounts {
  readonly events: number
  /** Kept responses that went with them. */
  readonly responses: number
}

/** What is done to what is kept, in steps so small that nobody waits for one. */
export interface MaintenanceStore {
  /** Events of a person. Erasing them takes them out of this list. */
  eventsOfPerson(person: PersonRef, limit: number): Promise<ErasableEvent[]>

  /**
   * One step of a walk through events in the order of their keys: those that may still hold personal data, and where the next
   * step goes on; undefined: there is nothing behind. Every event that is there throughout is met.
   */
  eventsBefore(walk: ErasureWalk): Promise<{ readonly events: ErasableEvent[]; readonly next: EventKey | undefined }>

  /**
   * Takes from events what splices personal data in, whose person it is, the digest of the publisher's input, and the
   * responses kept of their deliveries; their fingerprint becomes `ERASED_FINGERPRINT`. Nothing reads any of it afterwards, and no
   * response to a delivery of them is kept from then on. All else of them stays.
   */
  erase(events: readonly ErasedEvent[]): Promise<ErasureCounts>
}
