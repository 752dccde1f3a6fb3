import { createClient, type Subscription } from '@callboard/client'
import { type Callboard, createCallboard, type Integration, type Scope } from '@callboard/core'
import type { SubscriptionRef } from '@callboard/core/store'
import { createDashboard, type DashboardBrand, type DashboardTexts, type DashboardViewer } from '@callboard/dashboard'
import { createTestSender, startWorker, type Worker } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { startPostgres, startReceiver, type TestReceiver } from '@callboard/testbed'
import { vi } from 'vitest'
import { serve } from '../serve.ts'
import { catalog } from './catalog.ts'
import { EVERYTHING, viewerOf } from './viewers.ts'

export interface WorldOptions {
  /** `zapier`, `make` and `n8n` by default. */
  readonly integrations?: readonly Integration[] | undefined
  /** By default, a catalogue without previous versions. */
  readonly catalog?: typeof catalog | undefined
  /** The most API keys that an account may have; core's default if undefined. */
  readonly maxKeys?: number | undefined
  readonly brand?: DashboardBrand | undefined
  /** English by default. */
  readonly texts?: DashboardTexts | undefined
}

/** A platform with an API, a dashboard and a worker on a real Postgres, and receivers that use real TLS. */
export interface DashboardWorld {
  readonly origin: string
  readonly callboard: Callboard<typeof catalog>
  /** Receivers on different ports. They answer 200 unless the test changes that. */
  readonly receivers: readonly TestReceiver[]
  /** The errors passed to `onError`. */
  readonly errors: unknown[]
  /** A viewer with all permissions in an account. */
  everything(accountId: string): DashboardViewer
  /** Creates a subscription through the API, with a new key. */
  subscribe(
    accountId: string,
    input: { targetUrl: string; eventTypes: string[]; integration: string; externalRef?: string },
    key?: { readonly name?: string; readonly scopes?: readonly Scope[] },
  ): Promise<Subscription>
  /** Publishes an order; returns the event's id. */
  sell(accountId: string, order: string, buyer?: { name?: string; email?: string }, note?: string): Promise<string>
  checkIn(accountId: string, attendee: string): Promise<string>
  /** Stops the worker, if one runs, and starts a worker with these retry delays. */
  work(retrySchedule?: readonly number[]): Promise<void>
  /** Stops the worker, so that only the test changes anything. */
  rest(): Promise<void>
  /** Resolves when a delivery has this state. */
  becomes(ref: SubscriptionRef, eventId: string, state: string): Promise<void>
  stop(): Promise<void>
}

const READ_AND_WRITE: readonly Scope[] = ['webhooks.read', 'webhooks.write']
/** The number of receivers: one for each behaviour of a target, because people tell targets apart by their host. */
const RECEIVERS = 4
/** The timeout of an attempt. It is longer than a healthy receiver takes on a busy machine. */
const DEADLINE_MS = 6_000

export async function startDashboardWorld({
  integrations,
  catalog: own = catalog,
  maxKeys,
  brand,
  texts,
}: WorldOptions = {}): Promise<DashboardWorld> {
  const postgres = await startPostgres()
  const pool = await postgres.createPool()
  const client = await pool.connect()
  await migrate(client)
  client.release()
  const receivers = await Promise.all(Array.from({ length: RECEIVERS }, () => startReceiver()))
  const errors: unknown[] = []
  const callboard = createCallboard({
    allowUnsafeText: true, // `strangers.ts` publishes it
    catalog: own,
    store: createPostgresStore({ pool }),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } },
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    integrations,
    maxKeys,
    onError: (error) => errors.push(error),
  })
  const router = createRouter(callboard, { basePath: '/api' })
  const extraCaCertificates = receivers.map(({ ca }) => ca)
  const tests = createTestSender(callboard, { extraCaCertificates })
  const dashboard = createDashboard(callboard, { authorize: viewerOf, brand, texts, tests })
  const served = await serve((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
    return pathname.startsWith('/api/') ? router.fetch(request) : dashboard.fetch(request)
  })
  let worker: Worker | undefined
  // The second call of `stop` aborts the attempts in flight, because some receivers never respond.
  const rest = async (): Promise<void> => void (await Promise.all([worker?.stop(), worker?.stop()]))

  return {
    origin: served.origin,
    callboard,
    receivers,
    errors,
    everything: (accountId) => ({ accountId, can: EVERYTHING }),
    async subscribe(accountId, input, { name = 'Automations', scopes = READ_AND_WRITE } = {}) {
      const { token } = await callboard.keys.issue({ accountId, name, scopes })
      return createClient({ baseUrl: `${served.origin}/api`, apiKey: token }).subscriptions.create(input)
    },
    async sell(accountId, order, buyer = {}, note) {
      const { id } = await callboard.publish({
        accountId,
        type: 'order.paid',
        subject: { type: 'order', id: order },
        data: { order: { id: order, note, buyer: { entity_id: `per_${order}`, ...buyer } } },
      })
      return id
    },
    async checkIn(accountId, attendee) {
      const subject = { type: 'attendee', id: attendee }
      const { id } = await callboard.publish({
        accountId,
        type: 'attendee.checked_in',
        subject,
        data: { attendee: { id: attendee } },
      })
      return id
    },
    rest,
    async work(retrySchedule) {
      await rest()
      worker = await startWorker(callboard, { extraCaCertificates, pollMs: 20, deadlineMs: DEADLINE_MS, retrySchedule })
    },
    async becomes(ref, eventId, state) {
      await vi.waitFor(
        async () => {
          const { deliveries } = await callboard.deliveries.list({ ...ref, subscriptionId: ref.id, limit: 100 })
          const now = deliveries.find((delivery) => delivery.eventId === eventId)?.state
          if (now !== state) throw new Error(`the delivery is ${now}, not ${state}`)
        },
        { timeout: 90_000, interval: 25 },
      )
    },
    async stop() {
      await served.stop()
      await tests.close()
      await rest()
      await Promise.all(receivers.map((receiver) => receiver.stop()))
      await postgres.stop()
    },
  }
}
