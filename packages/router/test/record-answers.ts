import {
  CallboardError,
  type CallboardOptions,
  createCallboard,
  createId,
  defineCatalog,
  type Scope,
} from '@callboard/core'
import { engineOf, type TestSender } from '@callboard/core/engine'
import type { Store } from '@callboard/core/store'
import { sign } from '@callboard/signature'
import { createMemoryStore } from '@callboard/store-memory'
import { createRouter } from '../src/index.ts'
import { attemptDeliveries } from './attempt-deliveries.ts'
import { contractCatalog } from './contract-catalog.ts'

const ACCOUNT = { id: 'acc_5r9t3w7y', name: 'Harbour Hall' }
const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'
const DAY_MS = 86_400_000
const LINK = 'https://example.com/docs/changes'
const INPUT = {
  targetUrl: 'https://hooks.example.com/catch/8842',
  eventTypes: ['order.paid', 'attendee.checked_in'],
  integration: 'zapier',
  externalRef: 'workflow-311',
}

interface RecordedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body; null if there is none. */
  readonly body: unknown
}

/** Stands for a target that is down. */
const TESTS: Pick<TestSender, 'sendByKey'> = {
  sendByKey: async () => ({
    eventId: createId('test'),
    type: 'order.paid',
    outcome: 'failed',
    status: 503,
    reason: undefined,
    durationMs: 84,
    response: undefined,
    request: { url: INPUT.targetUrl, headers: {}, body: '' },
  }),
}

/** Creates a platform with the contract's catalogue and a clock of its own. */
async function open(options: Partial<CallboardOptions<typeof contractCatalog, unknown>> = {}) {
  const clock = { now: Date.UTC(2026, 9, 17, 19, 2, 9, 12) }
  const callboard = createCallboard({
    onError: () => undefined,
    catalog: contractCatalog,
    store: createMemoryStore({ now: () => clock.now }),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
    now: () => clock.now,
    ...options,
  })
  await callboard.accounts.create(ACCOUNT)
  const issue = async (scopes: readonly Scope[]) =>
    (await callboard.keys.issue({ accountId: ACCOUNT.id, name: 'Zapier', scopes })).token
  const publish = async (type: string, subject: { type: string; id: string }): Promise<string> => {
    clock.now += 1_000
    const data = contractCatalog.get(type)?.sample ?? {}
    return (await callboard.publish({ accountId: ACCOUNT.id, type, subject, data })).id
  }
  const { fetch } = createRouter(callboard, { tests: TESTS })
  const ask = async (
    line: string,
    token?: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<RecordedAnswer> => {
    const [method = '', path = ''] = line.split(' ')
    const headers = new Headers(body === undefined ? {} : { 'content-type': contentType })
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(new Request(`https://api.example.com${path}`, init))
    const text = await response.text()
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === '' ? null : JSON.parse(text),
    }
  }
  return { ask, callboard, clock, issue, publish }
}

/** Records the response to a request during which the store fails with this error. */
async function askBroken(error: Error): Promise<RecordedAnswer> {
  const store: Store<unknown> = createMemoryStore()
  const { ask, issue } = await open({
    store: { ...store, admission: { ...store.admission, admitRequest: () => Promise.reject(error) } },
  })
  return ask('GET /v1/me', await issue([]))
}

/**
 * Records each kind of response that a router on the memory store returns, for the examples in the OpenAPI document.
 */
export async function recordAnswers(): Promise<object> {
  const { ask, callboard, clock, issue, publish } = await open({
    sourceAddresses: ['198.51.100.0/24', '2001:db8:1::/48'],
  })
  const reader = await issue(['webhooks.read'])
  const token = await issue(['webhooks.read', 'webhooks.write'])
  await publish('order.paid', { type: 'order', id: 'ord_2b6d8f0h' })
  await publish('attendee.checked_in', { type: 'attendee', id: 'att_9d1f3g5h' })
  await publish('order.paid', { type: 'order', id: 'ord_4t8k2m9q' })
  clock.now += 20_000

  const getMe = await ask('GET /v1/me', token)
  const listEventTypes = await ask('GET /v1/event-types', reader)
  const listEvents = await ask('GET /v1/events?limit=2', reader)
  await engineOf(callboard).store.deliveries.sequence(10)
  const paid = 'GET /v1/events/feed?types=order.paid'
  const { body: firstOfFeed } = await ask(`${paid}&since=2026-10-17T19:00:00Z&limit=1`, reader)
  const eventFeed = await ask(`${paid}&after=${Object(firstOfFeed).nextCursor}`, reader)
  const getEvent = await ask(`GET /v1/events/${JSON.parse(JSON.stringify(listEvents.body)).data[0].id}`, reader)
  const created = await ask(`POST ${SUBSCRIPTIONS}`, token, INPUT)
  const existing = await ask(`POST ${SUBSCRIPTIONS}`, token, INPUT)
  const id = idIn(created)
  const listSubscriptions = await ask(`GET ${SUBSCRIPTIONS}`, token)
  const subscription = await ask(`GET ${SUBSCRIPTIONS}/${id}`, token)

  const ofSubscription = `${SUBSCRIPTIONS}/${id}`
  await publish('order.paid', { type: 'order', id: 'ord_6f0h2k4m' })
  await attemptDeliveries(callboard, { outcome: 'failed', status: 503, response: 'Down for maintenance' })
  const listDeliveries = await ask(`GET ${ofSubscription}/deliveries`, reader)
  const [{ eventId }] = JSON.parse(JSON.stringify(listDeliveries.body)).data
  const ofDelivery = `${ofSubscription}/deliveries/${eventId}`
  const listAttempts = await ask(`GET ${ofDelivery}/attempts`, await issue(['webhooks.read', 'people.read']))
  const resendRange = { since: '2026-10-17T00:00:00Z', until: '2026-10-18T00:00:00Z' }
  const resentDeliveries = await ask(`POST ${ofSubscription}/resend`, token, resendRange)
  const resentDelivery = await ask(`POST ${ofDelivery}/resend`, token)
  const sourceAddresses = await ask('GET /v1/webhooks/source-addresses', token)
  const secretRotation = { secretVersion: Object(subscription.body).secretVersion, overlapSeconds: 7200 }
  const sentTest = await ask(`POST ${SUBSCRIPTIONS}/${id}/test`, token, { type: 'order.paid' })
  const rotatedSecret = await ask(`POST ${SUBSCRIPTIONS}/${id}/rotate-secret`, token, secretRotation)
  const backfillInput = { since: '2026-10-17T00:00:00Z' }
  const backfill = await ask(`POST ${ofSubscription}/backfill`, token, backfillInput)
  const removed = await ask(`DELETE ${SUBSCRIPTIONS}/${id}`, token)

  const former = { version: '2026-04-01', deprecated: '2026-10-01', sunset: '2027-10-01', link: LINK }
  const catalog = defineCatalog({ ...contractCatalog, previous: [former] })
  const grown = await open({ catalog })
  const { token: formerToken } = await grown.callboard.keys.issue({
    accountId: ACCOUNT.id,
    name: 'Zapier',
    scopes: [],
    apiVersion: former.version,
  })
  const deprecated = await grown.ask('GET /v1/me', formerToken)

  const few = await open({ maxSubscriptions: 1 })
  const full = await few.issue(['webhooks.write'])
  await few.ask(`POST ${SUBSCRIPTIONS}`, full, INPUT)
  const disabled = await ask(`POST ${SUBSCRIPTIONS}`, token, { ...INPUT, externalRef: 'workflow-313' })
  const ofDisabled = `${SUBSCRIPTIONS}/${idIn(disabled)}`
  await callboard.subscriptions.disable({ accountId: ACCOUNT.id, id: idIn(disabled), by: 'platform' })
  const late = await open({ retention: { attemptsMs: 60 * DAY_MS } })
  const lateToken = await late.issue(['webhooks.write'])
  const ofLate = `${SUBSCRIPTIONS}/${idIn(await late.ask(`POST ${SUBSCRIPTIONS}`, lateToken, INPUT))}`
  const lateEvent = await late.publish('order.paid', { type: 'order', id: 'ord_2b6d8f0h' })
  await attemptDeliveries(late.callboard)
  late.clock.now += 31 * DAY_MS
  await late.callboard.retention.run()
  const retyped = await ask(`POST ${SUBSCRIPTIONS}`, token, { ...INPUT, eventTypes: ['order.paid'] })
  const retype = (...eventTypes: string[]) => ask(`PATCH ${SUBSCRIPTIONS}/${idIn(retyped)}`, token, { eventTypes })
  await ask(`POST ${SUBSCRIPTIONS}`, token, INPUT)
  await publish('order.paid', { type: 'order', id: 'ord_8j3l5n7p' })
  await engineOf(callboard).store.deliveries.sequence(100)
  await retype('attendee.checked_in')
  const hasty = await issue([])
  for (let count = 0; count < 40; count++) await ask('GET /v1/me', hasty)
  const problems = {
    INVALID_QUERY: await ask('GET /v1/events?limit=1000', reader),
    INVALID_BODY: await ask(`POST ${SUBSCRIPTIONS}`, token, {
      ...INPUT,
      targetUrl: 'http://10.0.0.1/',
      eventTypes: [],
    }),
    UNAUTHENTICATED: await ask('GET /v1/me'),
    INSUFFICIENT_SCOPE: await ask(`POST ${SUBSCRIPTIONS}`, reader, INPUT),
    NOT_FOUND: await ask(`DELETE ${SUBSCRIPTIONS}/${createId('sub')}`, token),
    SUBSCRIPTION_DISABLED: await ask(`POST ${ofDisabled}/resend`, token, resendRange),
    EVENT_EXPIRED: await late.ask(`POST ${ofLate}/deliveries/${lateEvent}/resend`, lateToken),
    EVENT_NOT_FOUND: await ask(`GET /v1/events/${createId('evt')}`, token),
    SOURCE_ADDRESSES_NOT_SET: await few.ask('GET /v1/webhooks/source-addresses', full),
    SUBSCRIPTION_LIMIT_REACHED: await few.ask(`POST ${SUBSCRIPTIONS}`, full, { ...INPUT, externalRef: 'workflow-312' }),
    SUBSCRIPTION_EXISTS: await retype(...INPUT.eventTypes),
    DISABLED_BY_PLATFORM: await ask(`PATCH ${ofDisabled}`, token, { state: 'active' }),
    CHANGE_PENDING: await retype('order.paid'),
    SECRET_ROTATED: await ask(`POST ${ofDisabled}/rotate-secret`, token, secretRotation),
    PAYLOAD_TOO_LARGE: await ask(`POST ${SUBSCRIPTIONS}`, token, { ...INPUT, more: 'x'.repeat(70_000) }),
    UNSUPPORTED_MEDIA_TYPE: await ask(`POST ${SUBSCRIPTIONS}`, token, INPUT, 'text/plain'),
    RATE_LIMITED: await ask('GET /v1/me', hasty),
    INTERNAL: await askBroken(new Error('broken')),
    UNAVAILABLE: await askBroken(new CallboardError('UNAVAILABLE', 'out of reach')),
  }

  // This secret is easy to recognise as an example, so nobody will take it for a leaked secret.
  const secret = `whsec_${'A'.repeat(43)}=`
  const withSecret = (answer: RecordedAnswer) => ({ ...answer, body: { ...Object(answer.body), secret } })
  const { data } = JSON.parse(JSON.stringify(listEvents.body))
  const timestamp = Math.floor(clock.now / 1000)
  const signature = await sign({ id: data[0].id, timestamp, body: JSON.stringify(data[0]), secret })
  return {
    input: INPUT,
    getMe,
    listEventTypes,
    listEvents,
    eventFeed,
    getEvent,
    listSubscriptions,
    sourceAddresses,
    created: withSecret(created),
    existing: withSecret(existing),
    subscription,
    secretRotation,
    rotatedSecret: withSecret(rotatedSecret),
    sentTest,
    deprecated,
    removed,
    listDeliveries,
    listAttempts,
    resentDelivery,
    resendRange,
    resentDeliveries,
    backfillInput,
    backfill,
    problems,
    delivery: {
      headers: { 'webhook-id': data[0].id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature },
      body: data[0],
    },
  }
}

function idIn({ body }: RecordedAnswer): string {
  return String(Object(body).id)
}

/** Removes the random parts (ids, a cursor and the signature), so that two recordings can be compared. */
export function withoutChance(recorded: object): object {
  const text = JSON.stringify(recorded)
    .replace(/\b(att|evt|key|sub|req|test)_[0-9a-z]{26}/g, '$1_')
    .replace(/"(nextCursor|secretVersion|webhook-signature)":"[^"]+"/g, '"$1":""')
  return Object(JSON.parse(text))
}
