import type { AnyEventTypes, EventName } from '@callboard/signature'
import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'

/** The input of {@link Subscriptions.create}. */
export interface NewSubscription<Name extends string = string> {
  /** HTTPS address that receives the events. */
  readonly targetUrl: string
  /** From 1 to 50 event types. */
  readonly eventTypes: readonly Name[]
  /**
   * The name of the automation platform that manages the subscription, such as `zapier`; `other` by default. The API
   * accepts only names that it knows.
   */
  readonly integration?: string | undefined
  /**
   * Your own id for the subscription, up to 255 characters. The same input with a different id creates another
   * subscription.
   */
  readonly externalRef?: string | undefined
  /** The format version in which the subscription gets its events; by default the version of the call. */
  readonly apiVersion?: string | undefined
}

/** A subscription. */
export interface Subscription<Name extends string = string> {
  readonly id: string
  /** False when the subscription already existed, for example because the response to an earlier attempt was lost. */
  readonly created: boolean
  readonly targetUrl: string
  readonly eventTypes: readonly Name[]
  readonly integration: string
  /** Absent if you gave none. */
  readonly externalRef?: string | undefined
  /** Version of the event format, a date. */
  readonly apiVersion: string
  /** The secret to verify deliveries with (`@callboard/signature`). Store it with `id`, and keep it out of logs. */
  readonly secret: string
  /** ISO 8601 in UTC. */
  readonly createdAt: string
}

/** The input of {@link Subscriptions.update}. */
export interface SubscriptionChanges {
  /** The format version in which the subscription gets its events from now on. */
  readonly apiVersion: string
}

export interface Subscriptions<Types extends object = AnyEventTypes> {
  /**
   * Creates a subscription, or returns the existing subscription with the same target, event types, integration and
   * `externalRef`. Needs the scope `webhooks.write`.
   */
  create(
    subscription: NewSubscription<EventName<Types>>,
    options?: CallOptions,
  ): Promise<Subscription<EventName<Types>>>
  /**
   * Updates a subscription that was created through the API. From then on, the scopes of the client's key decide
   * whether the subscription gets personal data. Needs the scope `webhooks.write`.
   */
  update(
    id: string,
    changes: SubscriptionChanges,
    options?: CallOptions,
  ): Promise<Omit<Subscription<EventName<Types>>, 'created' | 'secret'>>
  /**
   * Removes a subscription. Removing it twice is not an error, but an id that never existed rejects with `NOT_FOUND`.
   * Needs the scope `webhooks.write`.
   */
  remove(id: string, options?: CallOptions): Promise<void>
}

export function createSubscriptions<Types extends object>(call: Call): Subscriptions<Types> {
  return {
    create: ({ integration = 'other', ...subscription }, options) =>
      call('POST', '/v1/webhooks/subscriptions', options, { integration, ...subscription }),
    update: (id, changes, options) => call('PATCH', pathOf(id), options, changes),
    async remove(id, options) {
      await call('DELETE', pathOf(id), options)
    },
  }
}

function pathOf(subscriptionId: string): string {
  return `/v1/webhooks/subscriptions/${encodeURIComponent(subscriptionId)}`
}
