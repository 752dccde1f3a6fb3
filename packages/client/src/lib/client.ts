import type { AnyEventTypes, CallboardEvent, EventName, EventSample } from '@callboard/signature'
import { createCall } from './call.ts'
import type { CallOptions, ClientOptions } from './client-options.ts'
import { createEventList, type EventList, type EventsQuery } from './event-list.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'

/** A key's account and scopes. */
export interface KeyInformation {
  /** The account. */
  readonly entity: { readonly id: string; readonly name: string }
  readonly apiKeyId: string
  readonly scopes: readonly string[]
}

/** An event type that you can subscribe to. */
export interface EventType<Name extends string = string, Sample = unknown> {
  readonly type: Name
  readonly family: string
  readonly descriptionKey: string
  /** An example of `data` in an event of this type, including made-up personal data. */
  readonly sample: Sample
  /** Dot-separated paths of the personal data in `sample`. */
  readonly personalDataPaths: readonly string[]
}

/** The result of {@link Client.eventTypes}. */
export interface EventTypeList<Types extends object = AnyEventTypes> {
  /** Version of the event format, a date. */
  readonly apiVersion: string
  readonly data: readonly { [N in EventName<Types>]: EventType<N, EventSample<Types, N>> }[EventName<Types>][]
}

/**
 * The endpoints of the API. A failed call rejects with a `CallboardApiError`; an aborted call rejects with its signal's
 * reason.
 */
export interface Client<Types extends object = AnyEventTypes> {
  /** Returns the key's account and scopes. Needs no scope. */
  me(options?: CallOptions): Promise<KeyInformation>
  /** Returns every event type that you can subscribe to. Needs the scope `webhooks.read`. */
  eventTypes(options?: CallOptions): Promise<EventTypeList<Types>>
  /**
   * Returns a list of recent events, newest first. The list sends no request until you read it. Needs the scope
   * `webhooks.read`, and `people.read` too for personal data.
   *
   * @example
   * for await (const event of client.events({ type: 'order.paid' })) console.log(event.id, event.data)
   */
  events<Name extends EventName<Types> = EventName<Types>>(
    query?: EventsQuery<Name>,
    options?: CallOptions,
  ): EventList<CallboardEvent<Types, Name>>
  readonly subscriptions: Subscriptions<Types>
}

/**
 * Creates a client for the API of a platform that runs Callboard.
 *
 * `Types` describes the `data` of events, which is `unknown` by default. If you have the platform's catalogue, pass
 * `typeof catalog`, or `WithPersonalData<typeof catalog>` if the key has the scope `people.read`. Otherwise, pass a
 * type that maps the names of event types to `data`. With `apiVersion`, pass that version's types:
 * `(typeof catalog)['versions']['2026-10-01']`. Nothing checks the types at run time.
 *
 * @throws CallboardApiError `CONFIGURATION_INVALID` for an invalid `baseUrl`, `apiKey` or `apiVersion`.
 * @example
 * const client = createClient({ baseUrl: 'https://api.example.com', apiKey })
 * const { entity } = await client.me()
 */
export function createClient<Types extends object = AnyEventTypes>(options: ClientOptions): Client<Types> {
  const call = createCall(options)
  return {
    me: (callOptions) => call('GET', '/v1/me', callOptions),
    eventTypes: (callOptions) => call('GET', '/v1/event-types', callOptions),
    events: (query = {}, callOptions) => createEventList(call, query, callOptions),
    subscriptions: createSubscriptions(call),
  }
}
