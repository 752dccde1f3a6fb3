import type { Subject } from '../ports/event-store.ts'

/** An event as `publish` answers for it. */
export interface PublishedEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  readonly subject: Subject & { readonly sequence: number }
  /** True when an event of this id or idempotency key was there already; this is that one. */
  readonly repeated: boolean
}
