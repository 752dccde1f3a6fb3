import { type Accounts, assertAccountId, createAccounts } from './accounts/accounts.ts'
import { createAdmissions } from './admission/admission.ts'
import { areRateLimits, DEFAULT_RATE_LIMITS, RATE_LIMITS_RULE, type RateLimits } from './admission/rate-limit.ts'
import { type AuditActor, assertAuditActor } from './audit/audit-actor.ts'
import { type AuditTrail, createAuditTrail } from './audit/audit-trail.ts'
import { createRecorder, type Recorder } from './audit/recorder.ts'
import type { InTransaction } from './caller-transaction.ts'
import { createListeners } from './create-listeners.ts'
import { createFeedCursors } from './cursors/feed-cursors.ts'
import { createPageCursors } from './cursors/page-cursors.ts'
import { createApiDeliveries } from './deliveries/api-deliveries.ts'
import { createDeliveries, type Deliveries } from './deliveries/deliveries.ts'
import { ENGINE, type Engine } from './engine-of.ts'
import { CallboardError } from './errors.ts'
import type { Catalog, EventTypeName } from './events/catalog.ts'
import { createEventFeed } from './events/event-feed.ts'
import { createEventReading } from './events/event-reading.ts'
import { createEventSearch } from './events/event-search.ts'
import { createEvents, createEventTexts, type Events } from './events/events.ts'
import { createPublisher } from './events/publish.ts'
import type { AnyPublishInput, PublishInput } from './events/publish-input.ts'
import { createPublishLimit } from './events/publish-limit.ts'
import type { PublishedEvent } from './events/published-event.ts'
import { createFeedFollowing } from './feed/feed-following.ts'
import { createFeedWaits } from './feed/feed-waits.ts'
import { type HeaderNames, readHeaderNames } from './header-names.ts'
import { guardHooks, type Hooks } from './hooks/hooks.ts'
import { isApiKeyPrefix } from './keys/api-key.ts'
import { createKeys, type Keys } from './keys/keys.ts'
import { createSignedKeyIds } from './keys/signed-key-ids.ts'
import { createErasure, type Erasure } from './maintenance/erasure.ts'
import { createRetention, type Retention, type RetentionOptions, readHorizons } from './maintenance/retention.ts'
import { createOperationalEvents } from './operational/operational-events.ts'
import { operationalTypes } from './operational/operational-types.ts'
import type { RateLimiter } from './ports/rate-limiter.ts'
import type { Store } from './ports/whole-store.ts'
import { createKeyRing, type SecretKeys } from './secrets/key-ring.ts'
import { createSecretBox } from './secrets/secret-box.ts'
import { createApiBackfills } from './subscriptions/api-backfills.ts'
import { createApiSubscriptionReading } from './subscriptions/api-subscription.ts'
import { createApiSubscriptions } from './subscriptions/api-subscriptions.ts'
import { DEFAULT_INTEGRATIONS, type Integration, withOther } from './subscriptions/integrations.ts'
import { createSubscriptionHealth } from './subscriptions/subscription-health.ts'
import { createSubscriptionRules } from './subscriptions/subscription-rules.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts'
import { createTroubleReading } from './subscriptions/trouble.ts'
import { type AddressPolicy, assertAddressPolicy } from './targets/address-policy.ts'
import { refuseOwnHost } from './targets/own-host.ts'
import { assertSourceAddresses } from './targets/source-addresses.ts'
import { guardTelemetry } from './telemetry/guard-telemetry.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import { assertWhole, MAX_COUNT } from './validation/whole-number.ts'
import { createFormats } from './versions/formats.ts'
import { createMissingVersionsCheck } from './versions/missing-versions-check.ts'
import { createVersions, type Versions, type VersionUse } from './versions/versions.ts'

const DAY_MS = 86_400_000

export interface CallboardOptions<C extends Catalog, Tx> extends Hooks {
  /** The platform's event types; see `defineCatalog`. */
  readonly catalog: C
  readonly store: Store<Tx>
  /**
   * The keys with which Callboard seals signing secrets, signs cursors, and digests the input of publishers (to detect
   * repeated events) and the ids of erased persons. Keep the keys outside the database.
   */
  readonly secretKeys: SecretKeys
  /**
   * The first part of every API key, by which secret scanners recognise it: 1–16 characters, a–z and 0–9; `cb` by
   * default.
   */
  readonly keyPrefix?: string | undefined
  /** The names of Callboard in HTTP headers, for a platform that shows its customers only its own. */
  readonly headerNames?: HeaderNames | undefined
  /** Integrations that may manage a subscription; `zapier`, `make` and `n8n` by default. `other` is always allowed. */
  readonly integrations?: readonly Integration[] | undefined
  /** Targets allowed in addition to public HTTPS addresses; none by default. */
  readonly targets?: AddressPolicy | undefined
  /**
   * The https: URL at which your customers reach the API, such as `https://api.example.com`. Its host is then refused
   * as a target, so that no customer can make the platform call itself. Only the exact host is refused; list other
   * names in `targets.refusedHostNames`. Unknown by default.
   */
  readonly publicUrl?: string | undefined
  /**
   * The CIDR blocks from which your workers send deliveries, such as `['192.0.2.0/24', '2001:db8:1::/48']`. Customers
   * read them at `GET /v1/webhooks/source-addresses`, for their firewalls. Unknown by default.
   */
  readonly sourceAddresses?: readonly string[] | undefined
  /**
   * Whether the API accepts tokens that `keys.import` has stored, besides those that Callboard created; false by
   * default. A token that is not of Callboard's form then costs a lookup before it is refused.
   */
  readonly importedKeys?: boolean | undefined
  /** Rate limits for keys that have none of their own; 40 a second, 250 in 10 seconds and 800 a minute by default. */
  readonly rateLimits?: RateLimits | undefined
  /** Counts requests for rate limiting; by default the store counts them. */
  readonly rateLimiter?: RateLimiter | undefined
  /**
   * The most valid keys an account can have, across both modes; 100 by default. A rotated key counts until its overlap
   * ends. Keys can be rotated even at the limit.
   */
  readonly maxKeys?: number | undefined
  /** The most subscriptions an account can have in each mode; 500 by default. */
  readonly maxSubscriptions?: number | undefined
  /**
   * The most subscriptions an account can create within a minute, across both modes; 60 by default. Removed
   * subscriptions also count. A call that finds an existing subscription does not.
   */
  readonly maxNewSubscriptionsPerMinute?: number | undefined
  /**
   * The most changes that an account's keys and viewers can make within a minute, across both modes; 120 by default.
   * Removing or disabling a subscription and revoking a key are never refused, but count. Your own code is not limited.
   */
  readonly maxChangesPerMinute?: number | undefined
  /**
   * The most events that this process may publish for an account in a second, across both modes; unlimited by default.
   * After a second without events, an account can publish a whole second's events in one call. Each process has its
   * own limit. Every valid event counts, even if it is a repeat or if the caller's transaction is rolled back.
   */
  readonly maxEventsPerSecond?: number | undefined
  /** Maximum size of an envelope in bytes; 256 KiB by default. */
  readonly maxEventBytes?: number | undefined
  /**
   * Whether the `data` of events may contain U+0000 and lone surrogates; false by default, because a receiver whose
   * database refuses them fails on every attempt. Publishing such data then throws `VALIDATION_FAILED`.
   */
  readonly allowUnsafeText?: boolean | undefined
  /** How far back `GET /v1/events` reads, by publish time, in milliseconds; 30 days by default. */
  readonly eventHorizonMs?: number | undefined
  /**
   * The id of an account in which workers publish events about the subscriptions of all other accounts:
   * `subscription.failing`, `subscription.disabled` and `subscription.recovered`. Your own systems subscribe to them
   * with a key of this account. Other accounts cannot see these types or subscribe to them. Create the account with
   * `accounts.create`; until it exists, `onError` gets an error for each event. None by default.
   */
  readonly operationalAccount?: string | undefined
  /**
   * How long data is kept. By default, events, attempts and removed subscriptions are kept for 30 days, the audit trail
   * and keys that are no longer valid for 365 days, and the newest 1,000 responses of each subscription for 7 days.
   */
  readonly retention?: RetentionOptions | undefined
  /** Observes requests, events and attempts for spans and metrics (`@callboard/opentelemetry`); none by default. */
  readonly telemetry?: Telemetry | undefined
  /**
   * Returns the time in milliseconds since the epoch; `Date.now` by default. Scheduling uses the store's clock instead.
   */
  readonly now?: (() => number) | undefined
}

export interface Health {
  readonly ok: boolean
  /** The problem, for the platform's operators; undefined when `ok` is true. */
  readonly problem: string | undefined
  /** Committed events that no worker has sequenced yet, and the age of the oldest in milliseconds. */
  readonly outbox: { readonly events: number; readonly oldestMs: number } | undefined
  /**
   * Format versions that are still in use although they have ended or are no longer in the catalogue; the list can be a
   * minute old. They do not make `ok` false, because keys and subscriptions that are pinned to them get the next newer
   * version.
   */
  readonly missingVersions: readonly VersionUse[]
}

/** The methods of {@link Callboard} that change accounts, keys, subscriptions, deliveries and stored events. */
export interface Changes<Tx = unknown> {
  readonly accounts: Accounts<Tx>
  readonly keys: Keys
  readonly subscriptions: Subscriptions
  readonly deliveries: Deliveries
  readonly erasure: Erasure
  /** The format versions that are in use. */
  readonly versions: Versions
}

/** The object that a platform creates and calls, and passes to the router, the worker and the dashboard. */
export interface Callboard<C extends Catalog = Catalog, Tx = unknown> extends Changes<Tx> {
  readonly catalog: C
  /**
   * Publishes one event: checks it against its type's schema, redacts it and stores it, in the caller's own transaction
   * if `tx` is given. Without options, the event is stored in a transaction of its own. Throws `VALIDATION_FAILED`,
   * `EVENT_TYPE_UNKNOWN`, `EVENT_TOO_LARGE`, `ACCOUNT_UNKNOWN` (see `accountName`), `ACCOUNT_DELETED`,
   * `IDEMPOTENCY_CONFLICT`, and `PUBLISH_LIMIT_REACHED` with `retryAfterMs` (see `maxEventsPerSecond`). Throws
   * `TRANSACTION_CONFLICT` when the caller must roll back and retry its transaction, and `CONFIGURATION_INVALID`,
   * before anything is stored, when `tx` is not an open transaction that can write.
   */
  publish<T extends EventTypeName<C>>(event: PublishInput<C, T>, options?: InTransaction<Tx>): Promise<PublishedEvent>
  /**
   * Like {@link Callboard.publish}, but for several events, of which either all or none are stored. If a call has
   * more than `maxEventsPerSecond` events of one account, waiting does not help: `PUBLISH_LIMIT_REACHED` then has no
   * `retryAfterMs`.
   */
  publishMany(events: readonly AnyPublishInput<C>[], options?: InTransaction<Tx>): Promise<PublishedEvent[]>
  readonly events: Events
  readonly retention: Retention
  /** The audit trail, which says who changed what. */
  readonly audit: AuditTrail
  /**
   * Returns methods whose changes the audit trail records as changes by `actor`. Changes made without `as` are recorded
   * as changes by the platform. Throws `VALIDATION_FAILED` if the actor's type is unknown, or if its id is an e-mail
   * address or is not 1–255 characters.
   */
  as(actor: AuditActor): Changes<Tx>
  readonly integrations: readonly Integration[]
  /** For a readiness probe: returns whether the store is ready for use. Never throws. */
  health(): Promise<Health>
  /** The internals that the router, worker and dashboard use; see `@callboard/core/engine`. */
  readonly [ENGINE]: Engine<Tx>
}

/**
 * A {@link Callboard} with any catalogue and transaction type. It lacks `publish` and `publishMany`, whose types depend
 * on the catalogue and the transaction type.
 */
export type AnyCallboard = Omit<Callboard, 'publish' | 'publishMany'>

/**
 * Creates the object that a platform calls, for example to publish events, and passes to the router, the worker and the
 * dashboard.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for invalid options.
 */
export function createCallboard<const C extends Catalog, Tx>(options: CallboardOptions<C, Tx>): Callboard<C, Tx> {
  const {
    catalog,
    store,
    keyPrefix = 'cb',
    importedKeys = false,
    rateLimits = DEFAULT_RATE_LIMITS,
    maxKeys = 100,
    maxSubscriptions = 500,
    maxNewSubscriptionsPerMinute = 60,
    maxChangesPerMinute = 120,
    maxEventsPerSecond,
    maxEventBytes = 256 * 1024,
    allowUnsafeText = false,
  } = options
  const { eventHorizonMs = 30 * DAY_MS, now = Date.now, rateLimiter } = options
  if (!isApiKeyPrefix(keyPrefix))
    throw new CallboardError('CONFIGURATION_INVALID', 'keyPrefix must be 1 to 16 characters, a-z and 0-9 only.')
  const headerNames = readHeaderNames(options.headerNames)
  const targets = refuseOwnHost(options.targets ?? {}, options.publicUrl)
  assertAddressPolicy(targets)
  const { sourceAddresses } = options
  if (sourceAddresses !== undefined) assertSourceAddresses(sourceAddresses)
  assertWhole(
    { maxKeys, maxSubscriptions, maxNewSubscriptionsPerMinute, maxChangesPerMinute, maxEventBytes },
    1,
    MAX_COUNT,
  )
  if (maxEventsPerSecond !== undefined) assertWhole({ maxEventsPerSecond }, 1, MAX_COUNT)
  if (!areRateLimits(rateLimits))
    throw new CallboardError('CONFIGURATION_INVALID', `rateLimits must be ${RATE_LIMITS_RULE}`)
  const horizons = readHorizons(options.retention ?? {}, eventHorizonMs)
  const integrations = withOther(options.integrations ?? DEFAULT_INTEGRATIONS)
  const keyRing = createKeyRing(options.secretKeys)
  const secretBox = createSecretBox(keyRing)
  const cursors = createPageCursors(keyRing)
  const hooks = guardHooks(options, now)
  const { operationalAccount } = options
  if (operationalAccount !== undefined) assertAccountId('operationalAccount', operationalAccount)
  const own = operationalAccount === undefined ? undefined : operationalTypes(operationalAccount, catalog)
  const formats = createFormats(catalog, now, own)
  const reading = createEventReading({ formats, keyRing, onError: hooks.onError })
  const telemetry = options.telemetry && guardTelemetry(options.telemetry, hooks.onError)
  const publishedListeners = createListeners()
  const failedListeners = createListeners()

  const publishing = {
    store: store.events,
    keyRing,
    maxBytes: maxEventBytes,
    allowUnsafeText,
    now,
    onLarge: ({ type, id, bytes }: { readonly type: string; readonly id: string; readonly bytes: number }) =>
      hooks.log({ level: 'warn', message: 'a large event was published', fields: { type, id, bytes } }),
    onPublished: publishedListeners.call,
    onFailed: failedListeners.call,
    telemetry,
  }
  const publishMany = createPublisher<C, Tx>({
    ...publishing,
    catalog,
    admit: maxEventsPerSecond === undefined ? () => undefined : createPublishLimit(maxEventsPerSecond, now),
  })
  const operational =
    own &&
    createOperationalEvents({
      accountId: own.accountId,
      publish: createPublisher<Catalog, Tx>({ ...publishing, catalog: own.catalog, admit: () => undefined }),
      onError: hooks.onError,
    })
  const eventTexts = createEventTexts(store.events, reading, formats, eventHorizonMs)
  const eventFeed = createEventFeed({
    store: store.events,
    reading,
    cursors: createFeedCursors(keyRing),
    formats,
    horizonMs: eventHorizonMs,
  })
  const elapsed = (): number => performance.now()
  const feedWaits = createFeedWaits(eventFeed, elapsed)
  publishedListeners.add(feedWaits.onPublished)
  const rules = createSubscriptionRules({
    formats,
    integrations,
    addressPolicy: targets,
    onRefusedTarget: (account, rule) =>
      hooks.log({ level: 'info', message: 'a target was refused', fields: { account, rule } }),
  })
  const limits = { total: maxSubscriptions, newPerMinute: maxNewSubscriptionsPerMinute }
  const health = { ...createSubscriptionHealth(store.health, cursors), ...createTroubleReading(store.health, now) }
  const { onError } = hooks
  telemetry?.observe(() => store.deliveries.gauges())

  const recorderOf = (actor: AuditActor): Recorder => createRecorder(store.audit, actor, maxChangesPerMinute)
  const changesBy = (actor: AuditActor): Changes<Tx> => {
    const recorder = recorderOf(actor)
    const keeping = { store: store.subscriptions, recorder, secretBox, formats, limits }
    return {
      accounts: createAccounts(store.accounts, recorder),
      keys: createKeys({
        store: store.keys,
        subscriptions: store.subscriptions,
        recorder,
        cursors,
        prefix: keyPrefix,
        imports: importedKeys,
        limit: maxKeys,
        formats,
        now,
      }),
      subscriptions: createSubscriptions({
        ...{ ...keeping, rules, health, onError, keys: store.keys, keyRing, now },
        testHeader: headerNames.test,
      }),
      deliveries: createDeliveries(store, cursors, recorder),
      erasure: createErasure({ formats, keyRing, store: store.maintenance, hooks, recorder }),
      versions: createVersions(store.versions, formats, recorder),
    }
  }
  const changes = changesBy({ type: 'platform', id: undefined })
  const missingVersions = createMissingVersionsCheck(changes.versions, now)

  return {
    catalog,
    publishMany,
    async publish(event, publishOptions) {
      const [published] = await publishMany([event], publishOptions)
      if (published === undefined) throw new Error('the store returned no outcome for the event')
      return published
    },
    ...changes,
    as(actor) {
      assertAuditActor(actor)
      return changesBy(actor)
    },
    events: createEvents(eventTexts, createEventSearch(store.events, reading, cursors, eventHorizonMs)),
    retention: createRetention(store.maintenance, horizons),
    audit: createAuditTrail(store.audit, cursors),
    integrations,
    async health() {
      try {
        await store.ready()
        const [{ outbox, outboxAgeMs }, missing] = await Promise.all([store.deliveries.backlog(), missingVersions()])
        const waiting = { events: outbox, oldestMs: outboxAgeMs }
        return { ok: true, problem: undefined, outbox: waiting, missingVersions: missing }
      } catch (error) {
        hooks.onError(error)
        return {
          ok: false,
          problem:
            error instanceof CallboardError ? error.message : 'The store failed; the cause was passed to onError.',
          outbox: undefined,
          missingVersions: [],
        }
      }
    },
    [ENGINE]: {
      store,
      secretBox,
      admissions: createAdmissions({
        store: store.admission,
        events: store.events,
        reading,
        keyPrefix,
        importedKeys,
        limits: rateLimits,
        horizonMs: eventHorizonMs,
        rateLimiter,
      }),
      apiSubscriptions: createApiSubscriptions(
        createApiSubscriptionReading({ health: store.health, cursors }),
        (keyId) => ({
          store: store.subscriptions,
          recorder: recorderOf({ type: 'key', id: keyId }),
          secretBox,
          formats,
          limits,
        }),
        rules,
      ),
      apiDeliveries: createApiDeliveries(store.subscriptions, (keyId) =>
        createDeliveries(store, cursors, recorderOf({ type: 'key', id: keyId })),
      ),
      apiBackfills: createApiBackfills((keyId) => ({
        store: store.subscriptions,
        recorder: recorderOf({ type: 'key', id: keyId }),
        now,
      })),
      keyIds: createSignedKeyIds(keyRing),
      headerNames,
      eventTexts,
      eventFeed,
      feedFollowing: createFeedFollowing({ feed: eventFeed, waits: feedWaits, elapsed }),
      onSequenced: feedWaits.onSequenced,
      formats,
      operational,
      targets,
      sourceAddresses: sourceAddresses && [...sourceAddresses],
      hooks,
      telemetry,
      now,
      onPublished: publishedListeners.add,
      onPublishFailed: failedListeners.add,
    },
  }
}
