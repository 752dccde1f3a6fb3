import {
  createCallboard,
  type IssuedKey,
  type LogEntry,
  type LoggedAttempt,
  type SubscriptionWithSecret,
} from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { Caller, SubscriptionRef } from '@callboard/core/store'
import { startWorker, type Worker, type WorkerOptions } from '@callboard/delivery'
import { startReceiver, type TestReceiver } from '@callboard/testbed'
import { afterAll, beforeAll, describe, type TestAPI, test } from 'vitest'
import { callerOf, issueKey, type OrderPaid, orderPaidEvent } from './arrange.ts'
import { type FacadeOptions, RING, type SampleCallboard } from './on-each-store.ts'
import { catalog } from './sample-catalog.ts'
import { type StoreTap, tapStore } from './store-tap.ts'
import { memoryFixture, pgliteFixtures, postgresFixtures, type RealFixture, type StoreFixture } from './stores.ts'

export type Disabled = Parameters<NonNullable<FacadeOptions['onSubscriptionDisabled']>>[0]

/** A platform and a receiver, on a store that belongs to one test and has an account `acc`. */
export interface World<Fixture> {
  readonly fixture: Fixture
  readonly callboard: SampleCallboard
  /** The store that the workers of this world use. */
  readonly tap: StoreTap
  readonly receiver: TestReceiver
  /** The errors, log entries and disabled subscriptions passed to the hooks. */
  readonly errors: unknown[]
  readonly logs: LogEntry[]
  readonly disabled: Disabled[]
  /** A key that may read personal data, and the caller it identifies. */
  readonly key: IssuedKey
  readonly caller: Caller
  /** A path at the receiver that no other test uses. */
  path(name?: string): string
  /** Subscribes the caller to `order.paid`. `target` is a path of the receiver or a URL. */
  subscribe(target: string, caller?: Caller): Promise<SubscriptionWithSecret>
  /** Publishes one `order.paid` event, or `count` of them, and returns their ids. */
  publish(count?: number, overrides?: Partial<OrderPaid>): Promise<string[]>
  /** Creates another facade on the same store, with these options. */
  open(options?: FacadeOptions): SampleCallboard
  /** Starts a worker that trusts the receiver and polls often. It is stopped when the test ends. */
  work(options?: WorkerOptions, callboard?: SampleCallboard): Promise<Worker>
  /** The attempts of a subscription, oldest first. */
  attempts(ref: SubscriptionRef, eventId?: string): Promise<LoggedAttempt[]>
  /** Resolves once this many attempts are logged and, after that, a running worker has looked for more work. */
  recorded(ref: SubscriptionRef, count: number, eventId?: string): Promise<void>
}

export type DeliveryIt<Fixture> = TestAPI<{ readonly world: World<Fixture> }>

/**
 * Runs suites with real workers and real TLS: `any` on the memory store and on Postgres, the others on the store that
 * they name. Call it once per file.
 */
export function describeDeliveries(
  title: string,
  suites: {
    readonly any?: (it: DeliveryIt<StoreFixture>) => void
    readonly pglite?: (it: DeliveryIt<StoreFixture>) => void
    readonly postgres?: (it: DeliveryIt<RealFixture>) => void
  },
): void {
  let receiver: TestReceiver
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver.stop())
  if (suites.any !== undefined)
    describe(`${title} [memory]`, () => suites.any?.(deliveryIt(memoryFixture, () => receiver)))
  if (suites.pglite !== undefined)
    describe(`${title} [pglite]`, () => suites.pglite?.(deliveryIt<StoreFixture>(pgliteFixtures(), () => receiver)))
  describe(`${title} [postgres]`, () => {
    const factory = postgresFixtures()
    suites.any?.(deliveryIt<StoreFixture>(factory, () => receiver))
    suites.postgres?.(deliveryIt(factory, () => receiver))
  })
}

function deliveryIt<Fixture extends StoreFixture>(
  factory: () => Promise<Fixture>,
  receiver: () => TestReceiver,
): DeliveryIt<Fixture> {
  return test.extend<{ world: World<Fixture> }>({
    world: async ({ task: _task }: object & { task?: unknown }, use: (world: World<Fixture>) => Promise<void>) => {
      const fixture = await factory()
      const workers: Worker[] = []
      try {
        await use(await createWorld(fixture, receiver(), workers))
      } finally {
        // The second call of `stop` aborts deliveries that a test has left in flight.
        await Promise.all(workers.flatMap((worker) => [worker.stop(), worker.stop()]))
        await fixture.cleanup()
      }
    },
  })
}

let paths = 0

async function createWorld<Fixture extends StoreFixture>(
  fixture: Fixture,
  receiver: TestReceiver,
  workers: Worker[],
): Promise<World<Fixture>> {
  const tap = tapStore(fixture.store)
  const errors: unknown[] = []
  const logs: LogEntry[] = []
  const disabled: Disabled[] = []
  const open = (options: FacadeOptions = {}): SampleCallboard =>
    createCallboard({
      catalog,
      store: tap.store,
      secretKeys: { current: 'k1', keys: { k1: RING.k1 } },
      targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
      maxNewSubscriptionsPerMinute: 10_000,
      maxChangesPerMinute: 10_000,
      onError: (error) => errors.push(error),
      onSubscriptionDisabled: (subscription) => disabled.push(subscription),
      log: (entry) => logs.push(entry),
      ...options,
    })
  const callboard = open()
  const attempts: World<Fixture>['attempts'] = async (ref, eventId) =>
    [
      ...(await callboard.deliveries.attempts({ ...ref, subscriptionId: ref.id, eventId, limit: 100 })).attempts,
    ].reverse()
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  const key = await issueKey(callboard, { scopes: ['webhooks.read', 'webhooks.write', 'people.read'] })
  const caller = await callerOf(callboard, key.token)
  return {
    fixture,
    callboard,
    tap,
    receiver,
    errors,
    logs,
    disabled,
    key,
    caller,
    open,
    path: (name = 'hook') => `/${++paths}/${name}`,
    subscribe: (target, by = caller) =>
      engineOf(callboard).apiSubscriptions.create(by, {
        targetUrl: new URL(target, receiver.url('/')).href,
        eventTypes: ['order.paid'],
        integration: 'zapier',
      }),
    async publish(count = 1, overrides) {
      const events = await callboard.publishMany(Array.from({ length: count }, () => orderPaidEvent(overrides)))
      return events.map(({ id }) => id)
    },
    async work(options, facade = callboard) {
      const worker = await startWorker(facade, { extraCaCertificates: [receiver.ca], pollMs: 5, ...options })
      workers.push(worker)
      return worker
    },
    attempts,
    async recorded(ref, count, eventId) {
      while ((await attempts(ref, eventId)).length < count) await tap.polls(1)
      await tap.polls()
    },
  }
}

/** The event ids of received deliveries, in order of arrival. */
export function idsOf(received: TestReceiver['log']): string[] {
  return received.map(({ headers }) => String(headers['webhook-id']))
}

/** A promise and the function that resolves it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
