import type { Catalog, DeliveryState, SubscriptionRecord } from '@callboard/core'
import type { EventName } from '@callboard/signature'
import type { AnyVersion, CallboardEvent } from '@callboard/signature/request'
import type { SentRequest } from './recording-transport.ts'

/** The names of a catalogue's event types, in any format version. */
export type TestEventName<C extends Catalog> = EventName<AnyVersion<C>>

/** The format versions of a catalogue. */
export type TestVersion<C extends Catalog> = Extract<keyof C['versions'], string>

/** The events of a catalogue, in all its format versions: a union discriminated by `type` and `version`. */
export type TestEvent<
  C extends Catalog,
  Name extends TestEventName<C> = TestEventName<C>,
  Version extends TestVersion<C> = TestVersion<C>,
> = Extract<CallboardEvent<AnyVersion<C>>, { readonly type: Name; readonly version: Version }>

/** One request for a delivery, and what came of it. */
export interface TestAttempt {
  readonly at: Date
  /** Undefined if there was no response. */
  readonly status: number | undefined
  /** Why there was no response; undefined if there was one. */
  readonly reason: string | undefined
  /** As sent. Each attempt is signed anew, with the time of the attempt. */
  readonly headers: Readonly<Record<string, string>>
  /** The signed JSON. */
  readonly body: string
}

/** An event on its way to one subscription. */
export interface TestDelivery<Event = CallboardEvent> {
  /** The event as the last attempt contained it, after its signature was verified. */
  readonly event: Event
  /** The subscription as it was at the last attempt. */
  readonly subscription: SubscriptionRecord
  readonly state: DeliveryState
  /** Oldest first; at least one. */
  readonly attempts: readonly TestAttempt[]
  /** Headers of the last attempt. */
  readonly headers: Readonly<Record<string, string>>
  /** When the next attempt is due; undefined if none is planned. Move the clock with `advance`. */
  readonly nextAttemptAt: Date | undefined
}

/** Selects deliveries. Without a field, all are selected. */
export interface DeliveryFilter<Name extends string = string, Version extends string = string> {
  readonly type?: Name | undefined
  /** The format version in which the event was sent. */
  readonly version?: Version | undefined
  readonly targetUrl?: string | undefined
}

/** What the store knows of a delivery. */
type Progress = Pick<TestDelivery, 'state' | 'nextAttemptAt'>

const NO_PROGRESS: Progress = { state: 'pending', nextAttemptAt: undefined }

/** Collects the requests of a test, and turns them into deliveries. */
export interface SentRequests {
  add(sent: SentRequest): void
  /** Sorts the deliveries to this subscription after those to subscriptions that were named before. */
  expect(subscriptionId: string): void
  /** Keeps what was known if `progressOf` no longer finds a delivery. */
  deliveries(progressOf: (last: SentRequest) => Promise<Progress | undefined>): Promise<TestDelivery[]>
}

export function createSentRequests(): SentRequests {
  const bySubscription = new Map<string, Map<string, { readonly requests: SentRequest[]; progress: Progress }>>()

  const eventsOf = (subscriptionId: string) => {
    const events = bySubscription.get(subscriptionId) ?? new Map()
    bySubscription.set(subscriptionId, events)
    return events
  }

  return {
    expect: eventsOf,
    add(sent) {
      const events = eventsOf(sent.subscription.id)
      const known = events.get(sent.event.id) ?? { requests: [], progress: NO_PROGRESS }
      known.requests.push(sent)
      events.set(sent.event.id, known)
    },
    async deliveries(progressOf) {
      const deliveries: TestDelivery[] = []
      for (const known of [...bySubscription.values()].flatMap((events) => [...events.values()])) {
        const last = known.requests.at(-1)
        if (last === undefined) continue
        known.progress = (await progressOf(last)) ?? known.progress
        const { event, subscription, headers } = last
        const attempts = known.requests.map(attemptOf)
        deliveries.push({ event, subscription, ...known.progress, attempts, headers })
      }
      return deliveries
    },
  }
}

function attemptOf({ at, headers, body, outcome }: SentRequest): TestAttempt {
  const { status, reason } =
    outcome.kind === 'response'
      ? { status: outcome.status, reason: undefined }
      : { status: undefined, reason: outcome.reason }
  return { at, status, reason, headers, body }
}
