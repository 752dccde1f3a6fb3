import type { RateLimits } from '@callboard/core'
import { createTestSender } from '@callboard/delivery'
import { createRouter, type OpenApiDocument } from '@callboard/router'
import { describe, expect } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import { describeDeliveries, type World } from '../delivery-it.ts'
import type { RealFixture } from '../stores.ts'

/**
 * Protects the promise of docs/limits.md: whatever one key sends, and however fast, every answer is documented, no table
 * grows beyond what its limits allow, and nothing of another account appears.
 */
const CHANGES = 60
const CREATED = 20
const EVENTS = 10
/** A run can take part in this many minutes, each with its own limits. */
const MINUTES = 2

/** How many rows each table may gain. All others, such as `attempts` and `outbox`, may gain none. */
const MOST_ROWS: Readonly<Record<string, number>> = {
  // Each creation can be recorded once more, when the subscription is removed.
  audit_entries: MINUTES * (CHANGES + 2 * CREATED),
  subscriptions: MINUTES * CREATED,
  lanes: MINUTES * CREATED,
  subscription_types: MINUTES * CREATED * 2,
  retries: EVENTS * (1 + MINUTES * CREATED),
  added_deliveries: EVENTS * (1 + MINUTES * CREATED),
  ended_ranges: MINUTES * CHANGES,
  ended_deliveries: EVENTS * (1 + MINUTES * CREATED),
  rate_windows: 3,
}

const WIDE: RateLimits = [
  { seconds: 1, limit: 1_000_000 },
  { seconds: 10, limit: 1_000_000 },
  { seconds: 60, limit: 1_000_000 },
]
const LONG = 'x'.repeat(8_000)

interface Sent {
  readonly method: string
  /** The path with the names of its parameters, as in the OpenAPI document. */
  readonly route: string
  readonly ids: Readonly<Record<string, string>>
  readonly query?: string | undefined
  readonly body?: string | undefined
}

describe('what one key can do', () => {
  describeDeliveries('a hostile key', {
    postgres(it) {
      it('gets only documented answers, grows no table beyond its limits, and sees nothing of others', async ({
        world,
      }) => {
        const { counts, foreign, flood, fuzz, tallied, errors } = await arrange(world)
        const before = await counts()
        await fuzz()
        await flood()
        const after = await counts()
        for (const [table, rows] of Object.entries(after))
          expect(rows - (before[table] ?? 0), `rows that ${table} gained`).toBeLessThanOrEqual(MOST_ROWS[table] ?? 0)
        expect(await foreign()).toBe('active')
        expect(errors).toEqual([])
        // Each limit was reached, so the bounds above were tested.
        expect(tallied.get('RATE_LIMITED')).toBeGreaterThan(100)
        expect(tallied.get('VALIDATION_FAILED')).toBeGreaterThan(100)
        expect(tallied.get('NOT_FOUND')).toBeGreaterThan(100)
        console.info(`a hostile key: ${[...tallied].map(([code, count]) => `${code}×${count}`).join(' ')}`)
      })
    },
  })
})

async function arrange(world: World<RealFixture>) {
  const errors: unknown[] = []
  const callboard = world.open({
    maxChangesPerMinute: CHANGES,
    maxNewSubscriptionsPerMinute: CREATED,
    rateLimits: WIDE,
    onError: (error) => void errors.push(error),
  })
  const tests = createTestSender(callboard, { extraCaCertificates: [world.receiver.ca] })
  const router = createRouter(callboard, { tests })
  const document = await router.openapi()
  const own = await world.subscribe(world.path())
  const events = await world.publish(EVENTS)

  await callboard.accounts.create({ id: 'rival', name: 'Rival' })
  const rivalKey = await callboard.keys.issue({
    accountId: 'rival',
    name: 'rival',
    scopes: ['webhooks.read', 'webhooks.write', 'people.read'],
  })
  const order = { id: 'ord_9', buyer: { entity_id: 'per_9', name: 'Perdita', email: 'perdita@private.example' } }
  for (let n = 0; n < 3; n++) await callboard.publish(orderPaidEvent({ accountId: 'rival', data: { order } }))
  const ask = async (token: string, method: string, path: string, body?: string): Promise<Response> =>
    router.fetch(
      new Request(`https://api.example.com${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body ?? null,
      }),
    )
  const rivalTarget = 'https://hooks.example.com/rival-capability'
  const input = { targetUrl: rivalTarget, eventTypes: ['order.paid'], integration: 'other' }
  const made = await ask(rivalKey.token, 'POST', '/v1/webhooks/subscriptions', JSON.stringify(input))
  const rival: { id: string; secret: string } = await made.json()
  const rivalPage = await (await ask(rivalKey.token, 'GET', '/v1/events?limit=1')).json()
  const rivalFeed = await (await ask(rivalKey.token, 'GET', '/v1/events/feed')).json()
  const ownPage = await (await ask(world.key.token, 'GET', '/v1/events?limit=1')).json()
  const hidden = [rival.secret, 'Perdita', 'perdita@', 'rival-capability', rivalKey.token, world.key.token]

  const tallied = new Map<string, number>()
  const send = async ({ method, route, ids, query, body }: Sent): Promise<void> => {
    const path = route.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
    const response = await ask(world.key.token, method, query === undefined ? path : `${path}?${query}`, body)
    const text = await response.text()
    const what = `${method} ${route} ${query?.slice(0, 60) ?? ''} ${body?.slice(0, 60) ?? ''}: ${response.status}`
    expect(statusesOf(document, method, route), what).toContain(String(response.status))
    for (const each of hidden) expect(text.includes(each), `${what} shows what it must not`).toBe(false)
    const code: string = response.ok || response.status === 304 ? 'ok' : JSON.parse(text).errorCode
    expect(['INTERNAL', 'UNAVAILABLE', 'UNAUTHENTICATED'], what).not.toContain(code)
    tallied.set(code, (tallied.get(code) ?? 0) + 1)
  }
  /** Sends requests as fast as they are answered, twelve at a time. */
  const sendAll = async (requests: readonly Sent[]): Promise<void> => {
    let next = 0
    const sendNext = async (): Promise<void> => {
      for (let request = requests[next++]; request !== undefined; request = requests[next++]) await send(request)
    }
    await Promise.all(Array.from({ length: 12 }, sendNext))
  }

  const calls = Object.entries(document.paths).flatMap(([route, item]) =>
    Object.keys(item).map((name) => ({ method: name.toUpperCase(), route })),
  )
  const subscriptions = [own.id, rival.id, own.id.toUpperCase(), '%00', LONG]
  const queries = [
    ...[rivalPage.nextCursor, ownPage.nextCursor, rivalFeed.nextCursor].map((cursor) => `cursor=${cursor}`),
    ...[`after=${rivalFeed.nextCursor}`, 'since=0000-01-01T00:00:00Z', 'limit=1000000000', 'limit=1&limit=2'],
    ...['state=%00', 'eventId=%00', `eventId=${LONG}`, `targetUrl=${LONG}`, 'externalRef=%00', 'wait=31', 'types=%00'],
  ]
  const bodies = [
    '{',
    '[]',
    JSON.stringify({ ...input, externalRef: '\0' }),
    JSON.stringify({ eventTypes: Array.from({ length: 5_000 }, (_, n) => `t.${n}`) }),
    JSON.stringify({ secretVersion: '\ud800', overlapSeconds: 1e300, type: '\0', since: '\0', states: ['\0'] }),
    JSON.stringify({ since: '0001-01-01T00:00:00Z', cursor: rivalPage.nextCursor, type: 'order.paid' }),
    JSON.stringify({ targetUrl: rivalTarget.replace('https', 'http'), state: 'removed', apiVersion: '0000-00-00' }),
    'x'.repeat(70_000),
  ]
  const ofSubscription = '/v1/webhooks/subscriptions/{id}'
  const [eventId = ''] = events
  const times = (count: number, request: (n: number) => Omit<Sent, 'ids'> & Partial<Pick<Sent, 'ids'>>): Sent[] =>
    Array.from({ length: count }, (_, n) => ({ ids: { id: own.id, eventId }, ...request(n) }))

  return {
    errors,
    tallied,
    /** Calls every operation with hostile ids, queries and bodies. A deletion is not asked for the key's own. */
    fuzz: () =>
      sendAll(
        calls.flatMap(({ method, route }) => {
          const isSubscription = route.startsWith(ofSubscription)
          const ids = (isSubscription ? subscriptions : [eventId, rivalPage.data[0].id, '%00', LONG])
            .filter((id) => route.includes('{id}') || id === own.id || id === eventId)
            .filter((id) => method !== 'DELETE' || id !== own.id)
            .flatMap((id) => [eventId, rivalPage.data[0].id, '%00'].map((event) => ({ id, eventId: event })))
          const some = route.includes('{eventId}') ? ids : ids.filter((_, n) => n % 3 === 0)
          return some.flatMap((each): Sent[] =>
            method === 'GET'
              ? queries.map((query) => ({ method, route, ids: each, query }))
              : bodies.map((body) => ({ method, route, ids: each, body })),
          )
        }),
      ),
    /** Changes, tests, resends, rotates, backfills and creates as often as it may, and oftener. */
    flood: () =>
      sendAll([
        ...times(1_000, (n) => ({
          method: 'PATCH',
          route: ofSubscription,
          body: JSON.stringify({ externalRef: `flow ${n}` }),
        })),
        ...times(300, () => ({ method: 'POST', route: `${ofSubscription}/deliveries/{eventId}/resend` })),
        ...events.flatMap((event) =>
          times(5, () => ({
            method: 'POST',
            route: `${ofSubscription}/deliveries/{eventId}/resend`,
            ids: { id: own.id, eventId: event },
          })),
        ),
        ...times(100, () => ({
          method: 'POST',
          route: `${ofSubscription}/resend`,
          body: JSON.stringify({ since: '2020-01-01T00:00:00Z' }),
        })),
        ...times(100, () => ({ method: 'POST', route: `${ofSubscription}/test`, body: '{"type":"order.paid"}' })),
        ...times(100, () => ({
          method: 'POST',
          route: `${ofSubscription}/rotate-secret`,
          body: '{"secretVersion":"AAAAAAAAAAAAAAAA"}',
        })),
        ...times(100, (n) => ({
          method: 'POST',
          route: `${ofSubscription}/backfill`,
          body: JSON.stringify({ since: new Date(Date.UTC(2020, 0, 100 - n)).toISOString() }),
        })),
        ...times(100, (n) => ({
          method: 'POST',
          route: '/v1/webhooks/subscriptions',
          body: JSON.stringify({ ...input, targetUrl: `https://hooks.example.com/${n}` }),
        })),
      ]),
    async counts(): Promise<Record<string, number>> {
      const all: Record<string, number> = {}
      for (const line of (await world.fixture.everything()).split('\n')) {
        const [table = ''] = line.split(' ')
        all[table] = (all[table] ?? 0) + 1
      }
      return all
    },
    /** The state of the other account's only subscription. */
    async foreign(): Promise<string | undefined> {
      const [only, ...others] = await callboard.subscriptions.list({ accountId: 'rival' })
      return others.length === 0 && only?.targetUrl === rivalTarget ? only.state : undefined
    },
  }
}

function statusesOf(document: OpenApiDocument, method: string, route: string): string[] {
  const operation = Object.entries(document.paths[route] ?? {}).find(([name]) => name.toUpperCase() === method)?.[1]
  return Object.keys(operation?.responses ?? {})
}
