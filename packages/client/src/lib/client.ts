import type { AnyEventTypes, CallboardEvent, EventName, EventSample } from '@callboard/signature'
import { createCall } from './call.ts'
import type { CallOptions, ClientOptions } from './client-options.ts'
import { createEventList, type EventList, type EventsQuery } from './event-list.ts'

/** Whose the key is, and what it may (contract, 2.2). */
export interface KeyInformation {
  /** The account. */
  readonly entity: { readonly id: string; readonly name: string }
  readonly apiKeyId: string
  readonly scopes: readonly string[]
}

/** An event type that can be subscribed to (contract, 2.3). */
export interface EventType<Name extends string = string, Sample = unknown> {
  readonly type: Name
  readonly family: string
  readonly descriptionKey: string
  /** What `data` of an event of this type looks like, made-up personal data included. */
  readonly sample: Sample
  /** Dot-separated paths inside `sample`. */
  readonly personalDataPaths: readonly string[]
}

/** The answer of {@link Client.eventTypes}. */
export interface EventTypeList<Types extends object = AnyEventTypes> {
  /** Version of the event format, a date. */
  readonly apiVersion: string
  readonly data: readonly { [N in EventName<Types>]: EventType<N, EventSample<Types, N>> }[EventName<Types>][]
}

/** What is asked for by {@link Subscriptions.create} (contract, 4.4). */
export interface NewSubscription<Name extends string = string> {
  /** HTTPS address that receives the events. */
  readonly targetUrl: string
  /** 1 to 50. */
  readonly eventTypes: readonly Name[]
  /** Who manages it: `other` by default, or an automation platform that the API knows. */
  readonly integration?: string | undefined
  /** Your own id for it, up to 255 characters; part of what makes it the same or another. */
  readonly externalRef?: string | undefined
}

/** A subscription (contract, 2.6). */
export interface Subscription<Name extends string = string> {
  readonly id: string
  /** False when the same subscription was there already; also after a retry, when the answer to the first try was lost. */
  readonly created: boolean
  readonly targetUrl: string
  readonly eventTypes: readonly Name[]
  readonly integration: string
  /** Absent when none was sent. */
  readonly externalRef?: string | undefined
  /** Version of the event format, a date. */
  readonly apiVersion: string
  /** Verifies deliveries (`@callboard/signature`): keep it beside `id`, and out of logs. */
  readonly secret: string
  /** ISO 8601 in UTC. */
  readonly createdAt: string
}

export interface Subscriptions<Types extends object = AnyEventTypes> {
  /**
   * Makes a subscription, or finds the same one: equal target, set of event types, integration and `externalRef`.
   * Scope `webhooks.write`.
   */
  create(
    subscription: NewSubscription<EventName<Types>>,
    options?: CallOptions,
  ): Promise<Subscription<EventName<Types>>>
  /** Removes a subscription; a second time is no error. Rejects with `NOT_FOUND` for one that never was. Scope `webhooks.write`. */
  remove(id: string, options?: CallOptions): Promise<void>
}

/** The API, method by method. All reject with a `CallboardApiError`, or with the reason of their signal. */
export interface Client<Types extends object = AnyEventTypes> {
  /** Whose the key is. Any valid key. */
  me(options?: CallOptions): Promise<KeyInformation>
  /** Every event type that can be subscribed to. Scope `webhooks.read`. */
  eventTypes(options?: CallOptions): Promise<EventTypeList<Types>>
  /**
   * Recent events, newest first; asks for nothing until it is read. Scope `webhooks.read`, and `people.read` for personal data.
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
 * A client of the API of a platform that runs Callboard. `Types` says what is in `data`: `typeof catalog` where you have
 * the platform's catalogue (`WithPersonalData<typeof catalog>` where the key has the scope `people.read`), or a type that
 * maps names of event types to `data`; left out, `data` is `unknown`. Nothing checks it at run time.
 *
 * @throws CallboardApiError `CONFIGURATION_INVALID` for a `baseUrl` or an `apiKey` that cannot be right.
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
    subscriptions: {
      create: ({ integration = 'other', ...subscription }, callOptions) =>
        call('POST', '/v1/webhooks/subscriptions', callOptions, { integration, ...subscription }),
      async remove(id, callOptions) {
        await call('DELETE', `/v1/webhooks/subscriptions/${encodeURIComponent(id)}`, callOptions)
      },
    },
  }
}
