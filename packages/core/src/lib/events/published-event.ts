import type { Subject } from '../ports/stored-event.ts'

/** The result of publishing an event. */
export interface PublishedEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  readonly subject: Subject & { readonly sequence: number }
  /**
   * True when an event with this id or idempotency key already existed. The other fields then describe the existing
   * event.
   */
  readonly repeated: boolean
}
