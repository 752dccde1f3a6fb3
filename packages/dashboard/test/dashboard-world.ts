import {
  type Callboard,
  type CallboardOptions,
  type Catalog,
  createCallboard,
  defineCatalog,
  defineEventType,
  definePreviousType,
  type Scope,
  type SubscriptionWithSecret,
} from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createMemoryStore } from '@callboard/store-memory'
import * as z from 'zod'
import { createDashboard, type DashboardOptions } from '../src/lib/create-dashboard.ts'
import type { DashboardPermission, DashboardViewer } from '../src/lib/viewer.ts'

const order = z.object({ order: z.object({ id: z.string(), buyer: z.object({ email: z.string().optional() }) }) })

const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order.paid',
  schema: order,
  sample: { order: { id: 'ord_1', buyer: { email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.email'],
})

const current = {
  version: '2026-10-01',
  types: [
    orderPaid,
    defineEventType({
      name: 'event.published',
      title: 'Event on sale',
      description: 'Tickets can be bought from now on.',
      family: 'events',
      schema: z.object({ event: z.object({ id: z.string() }) }),
      sample: { event: { id: 'evn_1' } },
    }),
  ],
} as const

const catalog = defineCatalog(current)

/**
 * The same catalogue with two previous versions. One is deprecated, has another shape and lacks `event.published`; the
 * conversion of the order `ord_bad` to it fails. The other is past its sunset and no longer served.
 */
const versionedCatalog = defineCatalog({
  ...current,
  previous: [
    {
      version: '2026-04-01',
      deprecated: '2026-10-01',
      sunset: '2027-10-01',
      link: 'https://example.com/changes',
      types: [
        definePreviousType(orderPaid, {
          schema: z.object({ id: z.string(), contact: z.string().optional() }),
          sample: { id: 'ord_1', contact: 'ada@example.com' },
          personalDataPaths: ['contact'],
          down({ order: { id, buyer } }) {
            if (id === 'ord_bad') throw new Error('cannot convert')
            return { id, ...(buyer.email === undefined ? {} : { contact: buyer.email }) }
          },
        }),
      ],
      without: ['event.published'],
    },
    { version: '2026-01-01', sunset: '2026-06-01', enforceSunset: true },
  ],
})

const HOOK_SCOPES: readonly Scope[] = ['webhooks.read', 'webhooks.write']
const EVERYTHING: readonly DashboardPermission[] = [
  'webhooks.read',
  'webhooks.write',
  'events.read',
  'people.read',
  'keys.read',
  'keys.write',
  'audit.read',
]

export interface DashboardWorldOptions extends Partial<DashboardOptions> {
  /** Whether the catalogue has previous versions; false by default. */
  readonly versions?: boolean | undefined
  readonly maxKeys?: number | undefined
  readonly headerNames?: CallboardOptions<Catalog, unknown>['headerNames']
  readonly maxSubscriptions?: number | undefined
  readonly maxNewSubscriptionsPerMinute?: number | undefined
}

export interface DashboardWorld {
  readonly callboard: Callboard
  readonly errors: unknown[]
  /** Moves the clock forward. */
  advance(ms: number): void
  /** Visits the dashboard as this viewer. By default, the viewer belongs to `acme` and has all permissions. */
  as(who?: Partial<DashboardViewer>): Somebody
  /** Creates a subscription through the API. By default, Zapier creates it for `acme`. */
  hook(
    input?: { targetUrl?: string; eventTypes?: readonly string[]; integration?: string; externalRef?: string },
    key?: { accountId?: string; scopes?: readonly Scope[]; expiresAt?: Date },
  ): Promise<SubscriptionWithSecret>
  /** Publishes an `order.paid` event and returns its id. By default, its account is `acme` and its buyer is Ada. */
  publish(order?: { accountId?: string; id?: string; email?: string }): Promise<string>
}

export interface Somebody {
  get(path: string, headers?: Record<string, string>): Promise<Answered>
  /** Posts a form with the headers that a browser sends from the dashboard's own pages, or with `headers` if given. */
  post(
    path: string,
    fields?: Record<string, string | readonly string[]>,
    headers?: Record<string, string>,
  ): Promise<Answered>
}

export interface Answered {
  readonly status: number
  readonly location: string | null
  readonly headers: Headers
  readonly html: string
  /** The text of the page, without tags and with single spaces. */
  readonly text: string
}

/** A dashboard on the memory store, at `/dashboard`, with two accounts. */
export async function openDashboard({
  versions = false,
  maxKeys,
  headerNames,
  maxSubscriptions,
  maxNewSubscriptionsPerMinute,
  ...options
}: DashboardWorldOptions = {}): Promise<DashboardWorld> {
  const errors: unknown[] = []
  let passed = 0
  const now = (): number => Date.now() + passed
  const callboard = createCallboard({
    catalog: versions ? versionedCatalog : catalog,
    now,
    store: createMemoryStore({ now }),
    secretKeys: { current: 'k', keys: { k: new Uint8Array(32) } },
    maxKeys,
    headerNames,
    maxSubscriptions,
    maxNewSubscriptionsPerMinute,
    onError: (error) => errors.push(error),
  })
  for (const id of ['acme', 'globex']) await callboard.accounts.create({ id, name: id })
  return {
    callboard,
    errors,
    advance(ms) {
      passed += ms
    },
    as({ accountId = 'acme', can = EVERYTHING, ...rest } = {}) {
      const { fetch } = createDashboard(callboard, { authorize: () => ({ accountId, can, ...rest }), ...options })
      const ask = async (path: string, init?: RequestInit): Promise<Answered> => {
        const response = await fetch(new Request(`https://app.example.com/dashboard${path}`, init))
        const html = await response.text()
        const { status, headers } = response
        return { status, headers, html, text: textOf(html), location: headers.get('location') }
      }
      return {
        get: (path, headers) => ask(path, headers && { headers }),
        post(path, fields = {}, headers = { 'sec-fetch-site': 'same-origin' }) {
          const body = new URLSearchParams(
            Object.entries(fields).flatMap(([name, value]) =>
              [value].flat().map((one): [string, string] => [name, one]),
            ),
          )
          return ask(path, { method: 'POST', body, headers })
        },
      }
    },
    async hook(input, { accountId = 'acme', scopes = HOOK_SCOPES, expiresAt } = {}) {
      const { id: keyId } = await callboard.keys.issue({ accountId, name: 'an automation', scopes, expiresAt })
      const account = { id: accountId, name: accountId }
      const caller = { keyId, account, mode: 'live', scopes, apiVersion: '2026-10-01' } as const
      const given = {
        targetUrl: 'https://hooks.zapier.com/hooks/1',
        eventTypes: ['order.paid'],
        integration: 'zapier',
        ...input,
      }
      return engineOf(callboard).apiSubscriptions.create(caller, given)
    },
    async publish({ accountId = 'acme', id = 'ord_1', email = 'ada@example.com' } = {}) {
      const data = { order: { id, buyer: { email } } }
      return (await callboard.publish({ accountId, type: 'order.paid', subject: { type: 'order', id }, data })).id
    },
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function textOf(html: string): string {
  return html
    .replace(/<head>.*?<\/head>|<svg.*?<\/svg>/gs, '')
    .replace(/<\/?(?:bdi|span|strong|b|em|code|time|a|wbr)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')
}
