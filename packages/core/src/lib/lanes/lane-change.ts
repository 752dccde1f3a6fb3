import type { AttemptCount } from '../deliveries/count-attempts.ts'
import type { EndedState } from '../ports/delivery-record.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { Lane, Retries, Retry, SkippedState } from './lane.ts'

/** What an act changes. Everything that is not named here stays as it is. */
export interface LaneChange {
  readonly lane: Lane
  /** Retries to store, each in place of the one of the same event. */
  readonly written: readonly Retry[]
  /** The events whose retries to delete. */
  readonly closed: readonly string[]
  /** Deliveries that ended without success. */
  readonly ended: readonly EndedDelivery[]
  /** Deliveries after `after`, up to `through`, that ended without an attempt. */
  readonly endedRange: EndedRange | undefined
}

export interface EndedDelivery {
  readonly eventId: string
  readonly state: EndedState
  readonly attempts: number
}

export interface EndedRange {
  readonly after: number
  readonly through: number
  readonly state: SkippedState
}

/** What `settled` changes and reports. */
export interface SettledChange extends LaneChange {
  /** Attempts to add to the count of this hour. */
  readonly counted: AttemptCount
  /** Set if the settlement disables the subscription. */
  readonly disable: DisabledReason | undefined
  readonly report: LaneReport | undefined
}

export type LaneReport =
  | { readonly kind: 'failing'; readonly since: number; readonly attempts: number }
  | { readonly kind: 'recovered' }

/** A lane's retries while an act changes them. */
export interface ChangingRetries {
  get(eventId: string): Retry | undefined
  values(): Iterable<Retry>
  write(retry: Retry): void
  close(eventId: string): void
  /** The change so far. */
  change(): Pick<LaneChange, 'written' | 'closed'>
}

export function changing(retries: Retries): ChangingRetries {
  const written = new Map<string, Retry>()
  const closed = new Set<string>()
  return {
    get: (eventId) => written.get(eventId) ?? (closed.has(eventId) ? undefined : retries.get(eventId)),
    *values() {
      for (const retry of retries.values()) if (!closed.has(retry.eventId) && !written.has(retry.eventId)) yield retry
      yield* written.values()
    },
    write(retry) {
      closed.delete(retry.eventId)
      written.set(retry.eventId, retry)
    },
    close(eventId) {
      written.delete(eventId)
      if (retries.has(eventId)) closed.add(eventId)
    },
    change: () => ({ written: [...written.values()], closed: [...closed] }),
  }
}

/** A change of the lane and its retries that ends no delivery. */
export function changeOf(lane: Lane, retries?: ChangingRetries): LaneChange {
  return { lane, ...(retries?.change() ?? { written: [], closed: [] }), ended: [], endedRange: undefined }
}
