import {
  type Callboard,
  type CallboardOptions,
  type Catalog,
  createCallboard,
  type RateLimits,
  type SecretKeys,
  type SubscriptionInput,
  type SubscriptionWithSecret,
} from '@callboard/core'
import { EVENT_TYPES_COUNT, engineOf, isStorableDate } from '@callboard/core/engine'
import { createMemoryStore } from '@callboard/store-memory'
import { assertTarget, explainDeliveries, explainUnasked } from './explanations.ts'
import {
  createSentRequests,
  type DeliveryFilter,
  type TestDelivery,
  type TestEvent,
  type TestEventName,
  type TestVersion,
} from './test-delivery.ts'
import { createTestTargets, keyOf, type TestTarget, wrong } from './test-targets.ts'
import { createTestWorker } from './test-worker.ts'

/** All options of `createCallboard` except the catalogue. Each has a default that fits tests. */
export interface TestCallboardOptions<C extends Catalog, Tx>
  extends Omit<CallboardOptions<C, Tx>, 'catalog' | 'now' | 'store' | 'secretKeys'> {
  /**
   * A store in memory by default, which ignores `tx`: an event is published at once, even if the transaction is rolled
   * back. Pass a store on Postgres or PGlite to test that. It has the clock of its database, so `advance` throws.
   */
  readonly store?: CallboardOptions<C, Tx>['store'] | undefined
  /** A key that every test knows by default. */
  readonly secretKeys?: SecretKeys | undefined
  /** The time at which the clock starts; now by default. */
  readonly startAt?: Date | undefined
  /** The delay after each failed attempt, in milliseconds; the worker's default otherwise. */
  readonly retrySchedule?: readonly number[] | undefined
}

export interface TestSubscriptionInput<Name extends string = string>
  extends Partial<Omit<SubscriptionInput, 'eventTypes'>> {
  readonly accountId: string
  readonly eventTypes?: readonly Name[] | undefined
  /** The name of the account if it does not exist yet; its id by default. */
  readonly accountName?: string | undefined
  /** `live` by default. */
  readonly mode?: 'live' | 'test' | undefined
}

/** A Callboard for tests, with a worker whose requests stay in this process. */
export interface TestCallboard<C extends Catalog, Tx = unknown> {
  /** The Callboard to pass to your own code. */
  readonly callboard: Callboard<C, Tx>
  /**
   * Subscribes an account, and creates the account if it does not exist. By default, the subscription gets all event
   * types, without personal data, at `https://receiver.example/webhooks`. Subscribe before the event is published.
   *
   * @throws CallboardError the same as `callboard.subscriptions.create`.
   */
  subscribe(subscription: TestSubscriptionInput<TestEventName<C>>): Promise<SubscriptionWithSecret>
  /** The target with this URL, to set how it answers. Each target answers 200 otherwise. */
  target(url: string): TestTarget
  /**
   * Delivers what is due, and returns every delivery of this test that was attempted at least once: for one
   * subscription after another, in the order of the calls of `subscribe`, and in the order of the events. Await your own
   * code first: an event that it publishes later is not included.
   *
   * @throws what a receiver of this test threw, what the worker reported as an error, and CallboardError
   *   `CONFIGURATION_INVALID` if the filter names an unknown event type, or if answers were set for a target that was
   *   not asked.
   */
  deliveries<Name extends TestEventName<C> = TestEventName<C>, Version extends TestVersion<C> = TestVersion<C>>(
    filter?: DeliveryFilter<Name, Version>,
  ): Promise<TestDelivery<TestEvent<C, Name, Version>>[]>
  /** Like {@link TestCallboard.deliveries}, but throws unless exactly one delivery fits the filter. */
  delivery<Name extends TestEventName<C> = TestEventName<C>, Version extends TestVersion<C> = TestVersion<C>>(
    filter?: DeliveryFilter<Name, Version>,
  ): Promise<TestDelivery<TestEvent<C, Name, Version>>>
  /**
   * Moves the clock by this many milliseconds, and makes each attempt that becomes due, at its time.
   *
   * @throws CallboardError `CONFIGURATION_INVALID` if the store has a clock of its own, and like `deliveries`.
   */
  advance(milliseconds: number): Promise<void>
  /** The time of the clock, in milliseconds since the epoch. It stands still, except for `advance`. */
  now(): number
}

const TARGET_URL = 'https://receiver.example/webhooks'
const MANY = 1_000_000
/** The clock stands still, so a test would wait forever for the next window. */
const RATE_LIMITS: RateLimits = [
  { seconds: 1, limit: MANY },
  { seconds: 10, limit: MANY },
  { seconds: 60, limit: MANY },
]
const KEYS: SecretKeys = { current: 'test', keys: { test: new Uint8Array(32).fill(1) } }

/** A {@link TestCallboard} before the types of the catalogue are applied to its deliveries. */
interface UntypedTestCallboard extends Omit<TestCallboard<Catalog>, 'deliveries' | 'delivery'> {
  deliveries(filter?: DeliveryFilter): Promise<TestDelivery[]>
  delivery(filter?: DeliveryFilter): Promise<TestDelivery>
}

/**
 * Creates a Callboard in memory for tests, with a clock of its own and targets that answer what the test says. Requests
 * are signed and made by the real worker, verified as a receiver would, and never leave the process.
 *
 * @param catalog your event types, or your own Callboard, for code that cannot be given another one. Its store then has
 *   its own clock.
 * @throws CallboardError the same as `createCallboard`.
 * @example
 * const app = testCallboard(catalog)
 * await app.subscribe({ accountId: 'acc_1' })
 * await markPaid(app.callboard, 'ord_1') // your own code
 * const { event } = await app.delivery({ type: 'order.paid' })
 * expect(event.data.order.id).toBe('ord_1')
 */
export function testCallboard<const C extends Catalog, Tx = unknown>(
  catalog: C,
  options?: TestCallboardOptions<C, Tx>,
): TestCallboard<C, Tx>
export function testCallboard<C extends Catalog, Tx>(
  callboard: Callboard<C, Tx>,
  options?: Pick<TestCallboardOptions<C, Tx>, 'retrySchedule'>,
): TestCallboard<C, Tx>
export function testCallboard(
  from: Catalog | Callboard,
  { startAt, retrySchedule, store, secretKeys = KEYS, ...options }: TestCallboardOptions<Catalog, unknown> = {},
): UntypedTestCallboard {
  const hasOwnClock = !('publish' in from) && store === undefined
  if (startAt !== undefined && !hasOwnClock) throw wrong('startAt needs the store in memory, which has no other clock.')
  let time = (startAt ?? new Date()).getTime()
  if (!isClockTime(time)) throw wrong('startAt must be a Date in the years 1970 to 9999.')
  const now = hasOwnClock ? () => time : Date.now
  const callboard =
    'publish' in from
      ? from
      : createCallboard<Catalog, unknown>({
          rateLimits: RATE_LIMITS,
          maxNewSubscriptionsPerMinute: MANY,
          maxChangesPerMinute: MANY,
          ...options,
          catalog: from,
          secretKeys,
          store: store ?? createMemoryStore({ now }),
          now,
        })
  const { formats } = engineOf(callboard)
  const targets = createTestTargets()
  const sent = createSentRequests()

  const run = createTestWorker(callboard, { retrySchedule, answer: targets.answer, onSent: sent.add })

  const deliveries = async (filter: DeliveryFilter = {}): Promise<TestDelivery[]> => {
    const { type, version, targetUrl } = filter
    if (type !== undefined && formats.shapes.every((shape) => shape.type !== type))
      throw wrong(`The catalogue has no event type ${type}.`)
    if (version !== undefined && formats.versions.every((each) => each.version !== version))
      throw wrong(`The catalogue has no format version ${version}.`)
    await run()
    const all = await sent.deliveries(({ subscription: { accountId, mode, id }, event }) =>
      callboard.deliveries.find({ accountId, mode, subscriptionId: id, eventId: event.id }),
    )
    const [unasked] = targets.unasked()
    if (unasked !== undefined) throw await explainUnasked(callboard, unasked, now())
    const found = all.filter(({ event, subscription }) => {
      const isTo = targetUrl === undefined || keyOf(targetUrl) === keyOf(subscription.targetUrl)
      return isTo && (type ?? event.type) === event.type && (version ?? event.version) === event.version
    })
    if (found.length === 0 && targetUrl !== undefined) await assertTarget(callboard, targetUrl)
    return found
  }

  return {
    callboard,
    async subscribe({ accountId, accountName = accountId, mode, apiVersion = formats.current, ...given }) {
      const { eventTypes, targetUrl = TARGET_URL, ...fields } = given
      const offered = formats.offered(formats.served(apiVersion), accountId)
      if (eventTypes === undefined && offered.length > EVENT_TYPES_COUNT.max)
        throw wrong(
          `subscribe() needs eventTypes: the catalogue has ${offered.length}, and a subscription takes ${EVENT_TYPES_COUNT.max}.`,
        )
      await callboard.accounts.ensure([{ id: accountId, name: accountName }])
      const subscription = await callboard.subscriptions.create({
        ...fields,
        accountId,
        mode,
        targetUrl,
        eventTypes: eventTypes ?? offered.map(({ type }) => type),
        apiVersion,
      })
      sent.expect(subscription.id)
      return subscription
    },
    target: targets.target,
    deliveries,
    async delivery(filter = {}) {
      const found = await deliveries(filter)
      const [delivery] = found
      if (delivery === undefined || found.length > 1) throw await explainDeliveries(callboard, filter, found)
      return delivery
    },
    async advance(milliseconds) {
      if (!hasOwnClock)
        throw wrong('advance() needs the store in memory. This store has a clock of its own; use retrySchedule.')
      const until = time + milliseconds
      if (!(milliseconds >= 0) || !isClockTime(until))
        throw wrong('advance() takes milliseconds, 0 or more, and at most until the year 9999.')
      for (let nextInMs = await run(); nextInMs !== undefined && time + nextInMs <= until; nextInMs = await run())
        time += nextInMs
      time = until
    },
    now,
  }
}

/** Signatures carry Unix time, and ids the time in 48 bits. */
function isClockTime(time: number): boolean {
  return time >= 0 && isStorableDate(new Date(time))
}
