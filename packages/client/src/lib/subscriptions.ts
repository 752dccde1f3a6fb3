import type { AnyEventTypes, EventName } from '@callboard/signature'
import { type Backfills, createBackfills } from './backfills.ts'
import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { createList, type List, type ListQuery } from './list.ts'

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

/** A subscription without its secret, and how its deliveries are doing. Times are ISO 8601 in UTC. */
export interface SubscriptionDetails<Name extends string = string>
  extends Omit<Subscription<Name>, 'created' | 'secret'> {
  /** Only the origin, unless the key has the scope `webhooks.write`. */
  readonly targetUrl: string
  readonly state: 'active' | 'disabled'
  /** Why the subscription is disabled, and what to do about it; null while it is active. */
  readonly disabled: {
    /** `gone`, `failing`, `key`, `account` or `platform`. */
    readonly reason: string
    readonly since: string | null
    readonly message: string
    readonly remedy: string
  } | null
  /** Whether deliveries contain personal data, which the scopes of the confirming key decide. */
  readonly personalData: boolean
  /** Names the current secret without revealing it. */
  readonly secretVersion: string
  readonly health: SubscriptionHealth
}

/** The query of {@link Subscriptions.list}. Each condition selects by an exact value. */
export interface SubscriptionsQuery extends ListQuery {
  readonly integration?: string | undefined
  readonly externalRef?: string | undefined
  readonly targetUrl?: string | undefined
  readonly state?: 'active' | 'disabled' | undefined
}

/** How the deliveries of a subscription are doing. */
export interface SubscriptionHealth {
  /** Successful attempts in the last 24 hours. */
  readonly delivered: number
  /** Failed attempts in the last 24 hours. */
  readonly failed: number
  /** The failed attempts since the last success; null if there are none. */
  readonly failing: { readonly since: string; readonly attempts: number } | null
  /** When a target that keeps failing is tried again; null if deliveries are not paused. */
  readonly pausedUntil: string | null
  /** When deliveries are attempted next; null if none waits, or if one is being attempted. */
  readonly nextAttemptAt: string | null
  /** Deliveries that are waiting for another attempt. */
  readonly retrying: number
  /** When the oldest event that waits for its first attempt was published; null if none waits. */
  readonly oldestPendingAt: string | null
  /** Null if there was no attempt, or if it is no longer kept. */
  readonly lastAttempt: {
    readonly eventId: string
    readonly at: string
    /** `delivered`, `failed`, `exhausted`, `gone` or `expired`. */
    readonly outcome: string
    /** HTTP status; null if there was no response. */
    readonly status: number | null
    /** Why there was no response; null if there was one. */
    readonly reason: string | null
    readonly durationMs: number
  } | null
}

/** The input of {@link Subscriptions.update}: at least one field. Omitted fields stay as they are. */
export interface SubscriptionChanges<Name extends string = string> {
  /** Gets all deliveries from now on, those that are waiting at once. */
  readonly targetUrl?: string | undefined
  /** Apply to events that are published from now on. */
  readonly eventTypes?: readonly Name[] | undefined
  /** Null removes it. */
  readonly externalRef?: string | null | undefined
  /** The format version in which the subscription gets its events from now on. */
  readonly apiVersion?: string | undefined
  /** `disabled` ends the deliveries that are waiting; `active` starts again with the next event. */
  readonly state?: 'active' | 'disabled' | undefined
}

/** The input of {@link Subscriptions.rotateSecret}. */
export interface SecretRotation {
  /** The version of the secret to replace, as `get` returns it. */
  readonly secretVersion: string
  /** How long the old secret keeps signing beside the new one, up to seven days; a day by default. */
  readonly overlapSeconds?: number | undefined
}

/** What became of a test event. */
export interface SentTest<Name extends string = string> {
  /** Begins with `test_`. */
  readonly eventId: string
  readonly type: Name
  /** `delivered` if the target answered with a 2xx in time. */
  readonly outcome: 'delivered' | 'failed'
  /** HTTP status; null if there was no response. */
  readonly status: number | null
  /** A code for why there was no response, such as `timeout`; null if there was one. */
  readonly reason: string | null
  /** Why there was no response, in words; null if there was one. */
  readonly message: string | null
  readonly durationMs: number
  /** The beginning of the target's response. Absent if there was none, or if the key lacks `people.read`. */
  readonly response?: string | undefined
}

/** The new secret of a subscription. */
export interface RotatedSecret {
  readonly id: string
  readonly secret: string
  readonly secretVersion: string
}

export interface Subscriptions<Types extends object = AnyEventTypes> extends Deliveries, Backfills {
  /**
   * Creates a subscription, or returns the existing subscription with the same target, event types, integration and
   * `externalRef`. Needs the scope `webhooks.write`.
   */
  create(
    subscription: NewSubscription<EventName<Types>>,
    options?: CallOptions,
  ): Promise<Subscription<EventName<Types>>>
  /**
   * Returns a list of the subscriptions that were created through the API, newest first. The list sends no request until
   * you read it. Needs the scope `webhooks.read`.
   *
   * @example
   * for await (const { id, state } of client.subscriptions.list({ targetUrl })) console.log(id, state)
   */
  list(query?: SubscriptionsQuery, options?: CallOptions): List<SubscriptionDetails<EventName<Types>>>
  /** Returns a subscription that was created through the API. Needs the scope `webhooks.read`. */
  get(id: string, options?: CallOptions): Promise<SubscriptionDetails<EventName<Types>>>
  /**
   * Changes a subscription that was created through the API, all given fields or none. If anything is different, the
   * scopes of the client's key decide from then on whether the subscription gets personal data. Needs the scope
   * `webhooks.write`.
   *
   * Rejects with `SUBSCRIPTION_EXISTS` if the subscription would be the same as another one
   * ({@link CallboardApiError.subscriptionId}), with `CHANGE_PENDING` if deliveries from before the last change of
   * event types are still waiting, and with `DISABLED_BY_PLATFORM` if only the platform can enable it.
   */
  update(
    id: string,
    changes: SubscriptionChanges<EventName<Types>>,
    options?: CallOptions,
  ): Promise<SubscriptionDetails<EventName<Types>>>
  /**
   * Replaces the signing secret. The old secret keeps signing beside the new one for a while. Needs the scope
   * `webhooks.write`.
   *
   * The call is safe to repeat while the old secret signs: it returns the same new secret. Rejects with
   * `SECRET_ROTATED` if `secretVersion` is not that of the current secret; then read it again with `get`.
   */
  rotateSecret(id: string, rotation: SecretRotation, options?: CallOptions): Promise<RotatedSecret>
  /**
   * Sends one test event with sample data to the subscription's target, and returns what the target answered. Each call
   * sends an event, so it is not repeated if its response is lost. Needs the scope `webhooks.write`. Rejects with
   * `SUBSCRIPTION_DISABLED`, and with `NOT_FOUND` if the platform sends no test events.
   */
  sendTest<Name extends EventName<Types>>(
    id: string,
    test: { readonly type: Name },
    options?: CallOptions,
  ): Promise<SentTest<Name>>
  /**
   * Removes a subscription. Removing it twice is not an error, but an id that never existed rejects with `NOT_FOUND`.
   * Needs the scope `webhooks.write`.
   */
  remove(id: string, options?: CallOptions): Promise<void>
}

/** @param callOnce like `call`, but never repeats a request that may have arrived. */
export function createSubscriptions<Types extends object>(call: Call, callOnce: Call): Subscriptions<Types> {
  return {
    create: ({ integration = 'other', ...subscription }, options) =>
      call('POST', '/v1/webhooks/subscriptions', options, { integration, ...subscription }),
    list: (query = {}, options) => createList(call, '/v1/webhooks/subscriptions', query, options),
    get: (id, options) => call('GET', pathOf(id), options),
    update: (id, changes, options) => call('PATCH', pathOf(id), options, changes),
    rotateSecret: (id, rotation, options) => call('POST', `${pathOf(id)}/rotate-secret`, options, rotation),
    sendTest: (id, test, options) => callOnce('POST', `${pathOf(id)}/test`, options, test),
    async remove(id, options) {
      await call('DELETE', pathOf(id), options)
    },
    ...createDeliveries(call, pathOf),
    ...createBackfills(call, pathOf),
  }
}

function pathOf(subscriptionId: string): string {
  return `/v1/webhooks/subscriptions/${encodeURIComponent(subscriptionId)}`
}
