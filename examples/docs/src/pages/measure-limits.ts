import { createCallboard, defineCatalog, defineEventType, SCOPES } from '@callboard/core'
import { createRouter, type Router } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import * as z from 'zod'
import { quantities } from './page-structures.ts'

const DAY_MS = 86_400_000

const noted = defineEventType({
  name: 'order.noted',
  schema: z.object({ note: z.string() }),
  sample: { note: 'Call first.' },
  personalDataPaths: [],
})
const OPTIONS = {
  catalog: defineCatalog({ version: '2026-10-01', types: [noted] }),
  store: createMemoryStore(),
  secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32) } },
}

export interface Limits {
  readonly routes: readonly { readonly method: string; readonly path: string; readonly scope: string | undefined }[]
  /** How many requests a key may send in each window, shortest window first. */
  readonly rates: readonly number[]
  readonly bodyBytes: number
  /** The defaults of the options of `createCallboard`. Sizes are in bytes, and times are in milliseconds. */
  readonly defaults: Readonly<Record<string, readonly number[]>>
}

/** Measures a platform with default options, mostly by exceeding its limits and reading the refusals. */
export async function measureLimits(): Promise<Limits> {
  const callboard = createCallboard(OPTIONS)
  const router = createRouter(callboard)
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'docs', scopes: SCOPES })
  const call = (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return router.fetch(new Request(`https://platform.example${path}`, { ...init, headers }))
  }

  const me = await call('/v1/me', {})
  const rates = [...(me.headers.get('ratelimit-policy') ?? '').matchAll(/;q=(\d+)/g)].map(([, quota]) => Number(quota))
  const tooLarge = await call('/v1/webhooks/subscriptions', { method: 'POST', body: ' '.repeat(1024 * 1024) })
  const [bodyBytes = 0] = quantities(((await tooLarge.json()) as { message: string }).message)

  const data = { note: ' '.repeat(1024 * 1024) }
  const event = { accountId: 'acc_1', type: 'order.noted', subject: { type: 'order', id: 'ord_1' }, data } as const
  const maxEventBytes = quantities(await refusal(() => callboard.publish(event))).slice(-1)
  const subscription = { targetUrl: 'https://hooks.example.com/', eventTypes: ['order.noted'] }
  const subscribeTo =
    ({ subscriptions }: Pick<typeof callboard, 'subscriptions'>) =>
    () =>
      subscriptions.create({ accountId: 'acc_1', ...subscription })
  // The first number in each message is the limit. Any other number says how long to wait.
  const firstOf = ([limit = Number.NaN]: readonly number[]): readonly number[] => [limit]
  const maxNewSubscriptionsPerMinute = firstOf(quantities(await refusal(subscribeTo(callboard))))
  const hasty = createCallboard({ ...OPTIONS, maxNewSubscriptionsPerMinute: 10_000 })
  const maxSubscriptions = quantities(await refusal(subscribeTo(hasty)))
  const maxKeys = quantities(
    await refusal(() => callboard.keys.issue({ accountId: 'acc_1', name: 'docs', scopes: SCOPES })),
  )

  const { eventsMs, attemptsMs, responsesMs, maxResponses, subscriptionsMs } = callboard.retention.horizons
  const defaults = {
    rateLimits: rates,
    maxKeys,
    maxSubscriptions,
    maxNewSubscriptionsPerMinute,
    maxEventBytes,
    eventHorizonMs: [eventHorizonMs()],
    'retention.eventsMs': [eventsMs],
    'retention.attemptsMs': [attemptsMs],
    'retention.responsesMs': [responsesMs],
    'retention.maxResponses': [maxResponses],
    'retention.subscriptionsMs': [subscriptionsMs],
  }
  return { routes: await routesOf(router), rates, bodyBytes, defaults }
}

/** Calls `call` until it throws, and returns the error as text. */
async function refusal(call: () => Promise<unknown>): Promise<string> {
  for (let calls = 0; calls < 10_000; calls++)
    try {
      await call()
    } catch (error) {
      return String(error)
    }
  throw new Error('Nothing was refused.')
}

/**
 * Finds the default of the option `eventHorizonMs`. `createCallboard` refuses a shorter retention of events, so the
 * default is the shortest retention, in whole days, that it accepts.
 */
function eventHorizonMs(): number {
  for (let eventsMs = DAY_MS; ; eventsMs += DAY_MS)
    try {
      createCallboard({ ...OPTIONS, retention: { eventsMs } })
      return eventsMs
    } catch (error) {
      if (eventsMs > 1_000 * DAY_MS) throw error
    }
}

async function routesOf({ openapi }: Router): Promise<Limits['routes']> {
  return Object.entries((await openapi()).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{(\w+)\}/g, ':$1'),
      scope: security[0]?.['apiKey']?.[0],
    })),
  )
}
