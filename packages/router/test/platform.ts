import {
  type Callboard,
  type Catalog,
  createCallboard,
  defineCatalog,
  defineEventType,
  type EventType,
  type HeaderNames,
  type IssuedKey,
  type Mode,
  type RateLimits,
  type RetentionOptions,
  type Scope,
} from '@callboard/core'
import type { Store } from '@callboard/core/store'
import { createMemoryStore } from '@callboard/store-memory'
import { expect } from 'vitest'
import * as z from 'zod'
import type { Router, RouterOptions } from '../src/index.ts'
import type { ProblemBody } from '../src/lib/problem.ts'
import { problemBody } from '../src/lib/schemas/problem-schemas.ts'
import { createRouter } from './checked-router.ts'

interface Order {
  order: { id: string; buyer: { entity_id: string; name?: string | undefined; email?: string | undefined } }
}

export const orderPaid: EventType<'order.paid', z.ZodType<Order, Order>> = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z.object({
    order: z.object({
      id: z.string(),
      buyer: z.object({ entity_id: z.string(), name: z.string().optional(), email: z.string().optional() }),
    }),
  }),
  sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', name: 'Ada Sample', email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.name', 'order.buyer.email'],
})

interface CheckIn {
  attendee: { id: string }
}

export const attendeeCheckedIn: EventType<'attendee.checked_in', z.ZodType<CheckIn, CheckIn>> = defineEventType({
  name: 'attendee.checked_in',
  family: 'attendees',
  descriptionKey: 'events.attendee_checked_in',
  schema: z.object({ attendee: z.object({ id: z.string() }) }),
  sample: { attendee: { id: 'att_1' } },
})

export const catalog: Catalog<typeof orderPaid | typeof attendeeCheckedIn> = defineCatalog({
  version: '2026-10-01',
  types: [orderPaid, attendeeCheckedIn],
})

const ACCOUNT = { id: 'acc_1', name: 'Harbour Hall' }
const ALL_SCOPES: readonly Scope[] = ['webhooks.read', 'webhooks.write', 'people.read']

/** Rate limits that a property test never reaches. */
export const WIDE_LIMITS: RateLimits = [
  { seconds: 1, limit: 1_000_000 },
  { seconds: 10, limit: 1_000_000 },
  { seconds: 60, limit: 1_000_000 },
]

export interface PlatformOptions extends RouterOptions {
  /** The catalogue; `order.paid` and `attendee.checked_in` by default. */
  readonly catalog?: typeof catalog | undefined
  readonly limits?: RateLimits | undefined
  readonly headerNames?: HeaderNames | undefined
  readonly maxSubscriptions?: number | undefined
  readonly sourceAddresses?: readonly string[] | undefined
  readonly maxNewSubscriptionsPerMinute?: number | undefined
  readonly maxChangesPerMinute?: number | undefined
  readonly retention?: RetentionOptions | undefined
  readonly onError?: ((error: unknown, context: { readonly requestId?: string | undefined }) => void) | undefined
  /** Replaces operations of the store with faulty operations. */
  readonly breakStore?: ((store: Store<unknown>) => Store<unknown>) | undefined
}

export interface Ask {
  readonly method?: string | undefined
  readonly token?: string | undefined
  readonly headers?: Record<string, string> | undefined
  /** The body, which is sent as JSON. */
  readonly json?: unknown
}

export interface Platform {
  readonly callboard: Callboard
  readonly clock: { now: number }
  readonly fetch: Router['fetch']
  issue(scopes?: readonly Scope[], mode?: Mode, accountId?: string): Promise<IssuedKey>
  ask(path: string, ask?: Ask): Promise<Response>
  /** Publishes an event a millisecond after the previous event, and returns the id of the new event. */
  publishOrder(order: string, mode?: Mode, accountId?: string): Promise<string>
  publishCheckIn(attendee: string): Promise<string>
}

/**
 * Creates a platform on the memory store, with one account. The platform's clock moves only when a test moves it or
 * publishes an event.
 */
export async function createPlatform({
  catalog: own = catalog,
  basePath,
  openapi,
  tests,
  maxOpenMs,
  closing,
  headerNames,
  limits,
  maxSubscriptions,
  sourceAddresses,
  maxNewSubscriptionsPerMinute,
  maxChangesPerMinute,
  retention,
  onError,
  breakStore,
}: PlatformOptions = {}): Promise<Platform> {
  const clock = { now: Date.UTC(2026, 10, 20, 12, 0, 0) }
  const store = createMemoryStore({ now: () => clock.now })
  const callboard = createCallboard({
    catalog: own,
    store: breakStore?.(store) ?? store,
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
    rateLimits: limits,
    headerNames,
    maxSubscriptions,
    sourceAddresses,
    maxNewSubscriptionsPerMinute,
    maxChangesPerMinute,
    retention,
    onError,
    now: () => clock.now,
  })
  await callboard.accounts.create(ACCOUNT)
  const { fetch } = createRouter(callboard, { basePath, openapi, tests, maxOpenMs, closing })

  const issue = async (scopes: readonly Scope[] = ALL_SCOPES, mode: Mode = 'live', accountId: string = ACCOUNT.id) =>
    callboard.keys.issue({ accountId, name: 'test', scopes, mode })

  const ask = (path: string, { method = 'GET', token, headers, json }: Ask = {}): Promise<Response> => {
    const all = new Headers(headers)
    if (token !== undefined) all.set('authorization', `Bearer ${token}`)
    if (json !== undefined) all.set('content-type', 'application/json')
    const body = json === undefined ? null : JSON.stringify(json)
    return fetch(new Request(`https://api.example.com${path}`, { method, headers: all, body }))
  }

  const publishOrder = async (order: string, mode: Mode = 'live', accountId = ACCOUNT.id): Promise<string> => {
    clock.now += 1
    const { id } = await callboard.publish({
      accountId,
      mode,
      type: 'order.paid',
      subject: { type: 'order', id: order },
      data: { order: { id: order, buyer: { entity_id: 'per_9', name: 'Grace Sample', email: 'grace@example.com' } } },
    })
    return id
  }

  const publishCheckIn = async (attendee: string): Promise<string> => {
    clock.now += 1
    const { id } = await callboard.publish({
      accountId: ACCOUNT.id,
      type: 'attendee.checked_in',
      subject: { type: 'attendee', id: attendee },
      data: { attendee: { id: attendee } },
    })
    return id
  }

  return { callboard, clock, fetch, issue, ask, publishOrder, publishCheckIn }
}

/** A valid body for `POST /v1/webhooks/subscriptions`. */
export const SUBSCRIPTION: { targetUrl: string; eventTypes: string[]; integration: string } = {
  targetUrl: 'https://hooks.example.com/catch/1',
  eventTypes: ['order.paid', 'attendee.checked_in'],
  integration: 'zapier',
}

/** Checks the properties that every error response must have, and returns the body. */
export async function problemIn(response: Response): Promise<ProblemBody> {
  expect(response.headers.get('content-type')).toBe('application/json')
  const body = problemBody.parse(await response.json())
  expect(body.statusCode).toBe(response.status)
  expect(body.requestId).toBe(response.headers.get('x-request-id'))
  expect(body.message.length).toBeLessThanOrEqual(200)
  return body
}
