import type { AnyEventTypes, EventName, EventSample } from '@callboard/signature'
import { createCall } from './call.ts'
import type { CallOptions, ClientOptions } from './client-options.ts'
import { connectionOf } from './connection.ts'
import { createEvents, type Events } from './events.ts'
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

/** The result of {@link Client.sourceAddresses}. */
export interface SourceAddresses {
  /** CIDR blocks of IPv4 and IPv6 addresses. */
  readonly data: readonly string[]
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
  readonly events: Events<Types>
  readonly subscriptions: Subscriptions<Types>
  /**
   * Returns the addresses from which deliveries are sent. Needs no scope. Rejects with `NOT_FOUND` if the platform has
   * not published them.
   */
  sourceAddresses(options?: CallOptions): Promise<SourceAddresses>
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
  const connection = connectionOf(options)
  const call = createCall(connection, options)
  return {
    me: (callOptions) => call('GET', '/v1/me', callOptions),
    eventTypes: (callOptions) => call('GET', '/v1/event-types', callOptions),
    events: createEvents(connection, call),
    subscriptions: createSubscriptions(call, createCall(connection, { ...options, maxRetries: 0 })),
    sourceAddresses: (callOptions) => call('GET', '/v1/webhooks/source-addresses', callOptions),
  }
}
