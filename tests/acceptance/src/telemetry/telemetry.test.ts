import { createCallboard } from '@callboard/core'
import { engineOf, type Telemetry } from '@callboard/core/engine'
import type { ReplicaGauges } from '@callboard/core/store'
import { startWorker, type Transport, type TransportOutcome } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey, newCaller, orderPaidEvent, thrownBy } from '../arrange.ts'
import { describeDeliveries, gate } from '../delivery-it.ts'
import { facadeOptions } from '../on-each-store.ts'
import { memoryFixture } from '../stores.ts'
import { startWatching, watchedPlatform } from './watching.ts'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => context.disable())

/** A transport whose attempts all have this outcome. The first attempt opens the gate. */
function answering(outcome: Distributed<TransportOutcome>, sent: { readonly open: () => void }): Transport {
  return {
    async send() {
      sent.open()
      return { ...outcome, durationMs: 1 }
    },
    close: () => undefined,
  }
}

type Distributed<O> = O extends TransportOutcome ? Omit<O, 'durationMs'> : never

const parentOf = (span: ReadableSpan | undefined): string | undefined => span?.parentSpanContext?.spanId

describeDeliveries('telemetry', {
  any(it) {
    it('follows an event from the span that published it to each POST, including retries', async ({ world }) => {
      const watching = startWatching()
      const callboard = world.open({ telemetry: watching.telemetry() })
      const path = world.path()
      const subscription = await world.subscribe(path)
      world.receiver.answer(path, { status: 503 }, { status: 200 })
      const { id } = await watching.tracerProvider.getTracer('platform').startActiveSpan('checkout', async (span) => {
        const published = await callboard.publish(orderPaidEvent())
        span.end()
        return published
      })
      await world.work({ retrySchedule: [0, 1000] }, world.open({ telemetry: watching.telemetry() }))
      await world.recorded(subscription, 2)

      const [checkout] = watching.spans('checkout')
      const [publish] = watching.spans('publish order.paid')
      const [first, second] = watching.spans('deliver order.paid')
      expect(parentOf(publish)).toBe(checkout?.spanContext().spanId)
      for (const attempt of [first, second]) expect(parentOf(attempt)).toBe(publish?.spanContext().spanId)
      expect(new Set(watching.spans().map((span) => span.spanContext().traceId)).size).toBe(1)

      expect(publish?.kind).toBe(SpanKind.PRODUCER)
      expect(publish?.attributes).toEqual({
        'messaging.system': 'callboard',
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
        'messaging.destination.name': 'order.paid',
        'messaging.message.id': id,
        'callboard.account.id': 'acc',
        'callboard.mode': 'live',
        'callboard.event.repeated': false,
      })
      const { hostname, port } = new URL(subscription.targetUrl)
      const attributes = {
        'messaging.system': 'callboard',
        'messaging.operation.name': 'deliver',
        'messaging.destination.name': 'order.paid',
        'messaging.message.id': id,
        'http.request.method': 'POST',
        'server.address': hostname,
        'server.port': Number(port),
        'callboard.account.id': 'acc',
        'callboard.mode': 'live',
        'callboard.subscription.id': subscription.id,
      }
      expect(first).toMatchObject({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.ERROR } })
      expect(first?.attributes).toEqual({
        ...attributes,
        'callboard.event.version': '2026-10-01',
        'callboard.attempt.number': 1,
        'http.response.status_code': 503,
        'error.type': '503',
      })
      expect(second).toMatchObject({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } })
      expect(second?.attributes).toEqual({
        ...attributes,
        'callboard.event.version': '2026-10-01',
        'callboard.attempt.number': 2,
        'http.response.status_code': 200,
      })

      expect(await watching.points('callboard.delivery.attempts')).toEqual([
        { attributes: { 'callboard.attempt.outcome': 'failed', 'http.response.status_code': 503 }, value: 1 },
        { attributes: { 'callboard.attempt.outcome': 'delivered', 'http.response.status_code': 200 }, value: 1 },
      ])
      expect(await watching.points('callboard.delivery.attempt.duration')).toEqual([
        { attributes: { 'callboard.attempt.outcome': 'failed' }, value: 1 },
        { attributes: { 'callboard.attempt.outcome': 'delivered' }, value: 1 },
      ])
      expect(await watching.points('http.client.request.duration')).toEqual([
        {
          attributes: { 'http.request.method': 'POST', 'http.response.status_code': 503, 'error.type': '503' },
          value: 1,
        },
        { attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200 }, value: 1 },
      ])
      expect(await watching.points('callboard.delivery.active_attempts')).toEqual([{ attributes: {}, value: 0 }])
    })

    it('sends no trace to targets unless it is configured to', async ({ world }) => {
      const watching = startWatching()
      const [silent, told] = [world.path(), world.path()]
      await world.subscribe(silent)
      const worker = await world.work({}, world.open({ telemetry: watching.telemetry() }))
      await world.open({ telemetry: watching.telemetry() }).publish(orderPaidEvent())
      const [without] = await world.receiver.received(silent)
      await worker.stop()
      expect(Object.keys(without!.headers)).not.toContain('traceparent')

      const subscription = await world.subscribe(told)
      await world.work({}, world.open({ telemetry: watching.telemetry({ traceTargets: true }) }))
      await world.open({ telemetry: watching.telemetry() }).publish(orderPaidEvent())
      const [withTrace] = await world.receiver.received(told)
      await world.recorded(subscription, 1)
      const spans = watching.spans('deliver order.paid').map((span) => span.spanContext())
      const traceparents = spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)
      expect(traceparents).toContain(withTrace!.headers['traceparent'])
      for (const { body } of [without!, withTrace!])
        for (const { traceId } of spans) expect(body.toString()).not.toContain(traceId)
    })

    it('reads the store’s backlog when metrics are collected, in only one process', async ({ world }) => {
      const watching = startWatching()
      const callboard = world.open({ telemetry: watching.telemetry() })
      world.open({ telemetry: watching.telemetry({ observe: false }) })
      const subscription = await world.subscribe(world.path())
      await callboard.subscriptions.disable({ ...subscription, by: 'platform' })
      await callboard.publish(orderPaidEvent())
      await world.fixture.advance(60_000)
      expect(await watching.points('callboard.feed.waiting')).toEqual([{ attributes: {}, value: 1 }])
      const [lag] = await watching.points('callboard.feed.lag')
      expect(lag?.value).toBeGreaterThanOrEqual(60)
      expect(await watching.points('callboard.lane.lag')).toEqual([{ attributes: {}, value: 0 }])
      expect(await watching.points('callboard.delivery.retries')).toEqual([{ attributes: {}, value: 0 }])
      expect(await watching.points('callboard.lane.paused')).toEqual([{ attributes: {}, value: 0 }])
      for (const name of ['callboard.account.waiting', 'callboard.host.held_back'])
        expect(await watching.points(name), name).toEqual([{ attributes: {}, value: 0 }])
      for (const name of ['callboard.replica.lag', 'callboard.replica.usable'])
        expect(await watching.points(name), name).toEqual([])
      const host = { host: 'hooks.example.com', limit: 4, reason: 'new', lanes: 2 } as const
      const details = { waiting: { lanes: 5, accounts: 2 }, heldBack: [host] }
      await world.tap.store.deliveries.attend({ id: 'w1', name: 'w', details })
      expect(await watching.points('callboard.account.waiting')).toEqual([{ attributes: {}, value: 2 }])
      expect(await watching.points('callboard.host.held_back')).toEqual([{ attributes: {}, value: 1 }])
      expect(await watching.points('callboard.subscription.disabled')).toEqual(
        [
          ['gone', 0],
          ['failing', 0],
          ['key', 0],
          ['account', 0],
          ['platform', 1],
        ].map(([reason, value]) => ({ attributes: { 'callboard.subscription.disabled_reason': reason }, value })),
      )
    })
  },
})

describe('requests', () => {
  it('are recorded as spans and durations by endpoint and status, including refused requests and 429s', async () => {
    const { watching, router, token } = await watchedPlatform([
      { seconds: 86_400, limit: 2 },
      { seconds: 2 * 86_400, limit: 2 },
      { seconds: 4 * 86_400, limit: 2 },
    ])
    const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
      router.fetch(
        new Request(`https://example.com/api${path}`, { headers: { authorization: `Bearer ${token}` }, ...init }),
      )
    const ok = await ask('/v1/me')
    await ask('/v1/webhooks/subscriptions/sub_01jb2c3d4e5f6g7h8j9k0mnpqr', { method: 'DELETE' })
    await ask('/v1/me', { headers: {} })
    await ask('/v1/me', { method: 'PUT' })
    await ask('/v1/me', { method: 'BREW' })
    await ask('/v1/nowhere')
    await ask('/openapi.json')
    await ask('/v1/events')

    const spans = watching.spans()
    expect(spans.map(({ name }) => name)).toEqual([
      'GET /api/v1/me',
      'DELETE /api/v1/webhooks/subscriptions/:id',
      'GET /api/v1/me',
      'PUT /api/v1/me',
      'HTTP /api/v1/me',
      'GET',
      'GET /api/openapi.json',
      'GET /api/v1/events',
    ])
    expect(spans[0]).toMatchObject({ kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET } })
    expect(spans[0]?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.scheme': 'https',
      'http.route': '/api/v1/me',
      'http.response.status_code': 200,
      'callboard.request.id': ok.headers.get('x-request-id'),
      'callboard.account.id': 'acc',
      'callboard.key.id': (await ok.json()).apiKeyId,
      'callboard.mode': 'live',
    })
    expect(spans[2]?.attributes).not.toHaveProperty('callboard.account.id')
    const http = (method: string, status: number, route?: string) => ({
      attributes: {
        'http.request.method': method,
        'url.scheme': 'https',
        'http.response.status_code': status,
        ...(route !== undefined && { 'http.route': `/api${route}` }),
      },
      value: 1,
    })
    expect(await watching.points('http.server.request.duration')).toEqual([
      http('GET', 200, '/v1/me'),
      http('DELETE', 404, '/v1/webhooks/subscriptions/:id'),
      http('GET', 401, '/v1/me'),
      http('PUT', 405, '/v1/me'),
      http('_OTHER', 405, '/v1/me'),
      http('GET', 404),
      http('GET', 200, '/openapi.json'),
      http('GET', 429, '/v1/events'),
    ])
  })

  it('join the span of an instrumented server, but ignore traces from clients', async () => {
    const { watching, router } = await watchedPlatform()
    const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
    const request = new Request('https://example.com/api/v1/me', { headers })
    await router.fetch(request)
    const server = watching.tracerProvider.getTracer('http').startSpan('GET')
    await context.with(trace.setSpan(context.active(), server), () => router.fetch(request))
    const [alone, within] = watching.spans()
    expect(alone?.kind).toBe(SpanKind.SERVER)
    expect(alone?.parentSpanContext).toBeUndefined()
    expect(within?.kind).toBe(SpanKind.INTERNAL)
    expect(parentOf(within)).toBe(server.spanContext().spanId)
  })

  it('are recorded as errors if they fail on our side, without the cause', async () => {
    const watching = startWatching()
    const fixture = await memoryFixture()
    const callboard = createCallboard({
      ...facadeOptions(fixture),
      telemetry: watching.telemetry({ observe: false }),
      onError: () => undefined,
      store: {
        ...fixture.store,
        admission: {
          ...fixture.store.admission,
          admitRequest: () => Promise.reject(new Error('Key (email)=(ada@example.com) already exists')),
        },
      },
    })
    await callboard.accounts.create({ id: 'acc', name: 'Acme' })
    const key = await issueKey(callboard)
    const request = new Request('https://example.com/v1/me', { headers: { authorization: `Bearer ${key.token}` } })
    expect((await createRouter(callboard).fetch(request)).status).toBe(500)
    const [span] = watching.spans()
    expect(span).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': '500' } })
    const everything = await watching.everything()
    for (const hostile of ['ada@', key.token]) expect(everything).not.toContain(hostile)
  })
})

describe('publishing', () => {
  it('is counted by type, without repeats; refusals are counted by code', async () => {
    const { watching, callboard } = await watchedPlatform()
    await callboard.publish(orderPaidEvent({ idempotencyKey: 'one' }))
    await callboard.publish(orderPaidEvent({ idempotencyKey: 'one' }))
    await callboard.publishMany([
      orderPaidEvent(),
      {
        accountId: 'acc',
        type: 'attendee.checked_in',
        subject: { type: 'attendee', id: 'a' },
        data: { attendee: { id: 'a' } },
      },
    ])
    await callboard.publishMany([])
    await thrownBy(callboard.publish(orderPaidEvent({ accountId: 'nobody' })))
    const sent = { 'messaging.system': 'callboard', 'messaging.operation.name': 'publish' }
    const paid = { ...sent, 'messaging.destination.name': 'order.paid' }
    expect(await watching.points('messaging.client.sent.messages')).toEqual([
      { attributes: paid, value: 2 },
      { attributes: { ...sent, 'messaging.destination.name': 'attendee.checked_in' }, value: 1 },
      { attributes: { ...paid, 'error.type': 'ACCOUNT_UNKNOWN' }, value: 1 },
    ])
    expect(await watching.points('messaging.client.operation.duration')).toEqual([
      { attributes: paid, value: 2 },
      { attributes: sent, value: 1 },
      { attributes: { ...paid, 'error.type': 'ACCOUNT_UNKNOWN' }, value: 1 },
    ])
    const [, repeat, both, refused] = watching.spans()
    expect(repeat?.attributes).toMatchObject({ 'callboard.event.repeated': true })
    expect(both).toMatchObject({ name: 'publish', attributes: { 'messaging.batch.message_count': 2 } })
    expect(refused).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'ACCOUNT_UNKNOWN' },
    })
    expect(refused?.attributes).not.toHaveProperty('callboard.account.id')
    expect(watching.spans()).toHaveLength(4)
  })
})

describe('a stored trace', () => {
  it.each([
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true],
    ['ada@example.com', false],
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nx: y', false],
  ])('has only ids and flags, whatever telemetry returns: %j', async (given, isKept) => {
    const fixture = await memoryFixture()
    const telemetry: Telemetry = { ...startWatching().telemetry(), publish: (_events, publish) => publish(given) }
    const callboard = createCallboard({ ...facadeOptions(fixture), telemetry })
    await callboard.accounts.create({ id: 'acc', name: 'Acme' })
    const caller = await newCaller(callboard)
    const input = { targetUrl: 'https://hooks.example.com/', eventTypes: ['order.paid'], integration: 'other' }
    await engineOf(callboard).apiSubscriptions.create(caller, input)
    await callboard.publish(orderPaidEvent())
    const { deliveries } = fixture.store
    await deliveries.sequence(10)
    const due = await deliveries.due({ limit: 1, after: undefined })
    const lanes = due.lanes.map((each) => ({ ...each, room: 1 }))
    const [lane] = await deliveries.lease({ worker: 'w', call: 1, lanes, leaseMs: 1_000 })
    expect(lane?.deliveries.map(({ trace: kept }) => kept)).toEqual([isKept ? given : undefined])
  })
})

describe('the export', () => {
  it('contains no secret, no personal value and no text from outside', async () => {
    const { watching, callboard, router, token } = await watchedPlatform()
    // This text contains letters that no id contains, so that the test cannot find part of it in an id by chance.
    const hostile = 'lulu@example.com'
    const targetUrl = `https://hooks.example.com/${hostile}?${hostile}`
    const json = JSON.stringify({ targetUrl, eventTypes: ['order.paid'], integration: 'other', externalRef: hostile })
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      host: hostile,
      tracestate: hostile,
    }
    for (const [path, init] of [
      ['/api/v1/webhooks/subscriptions', { method: 'POST', body: json }],
      [`/api/v1/webhooks/subscriptions/${hostile}`, { method: 'DELETE' }],
      [`/api/v1/events?type=${hostile}&cursor=${hostile}`, {}],
      [`/api/${hostile}`, {}],
      ['/api/v1/me', { method: 'LULU' }],
    ] as const)
      await router.fetch(new Request(`https://lulu.example.com${path}`, { headers, ...init }))
    await callboard.publish(
      orderPaidEvent({
        subject: { type: hostile, id: hostile },
        correlationId: hostile,
        idempotencyKey: hostile,
        data: { order: { id: hostile, note: hostile, buyer: { entity_id: hostile, name: hostile, email: hostile } } },
      }),
    )
    for (const wrong of [{ type: hostile }, { accountId: hostile }, { mode: hostile }, { data: { order: hostile } }])
      await thrownBy(callboard.publish({ ...orderPaidEvent(), ...wrong } as never))
    const sent = gate()
    const worker = await startWorker(callboard, {
      transport: answering({ kind: 'failed', reason: 'blocked' }, sent),
      pollMs: 5,
    })
    await sent.opened
    await worker.stop()

    const everything = await watching.everything()
    expect(everything).toContain('hooks.example.com')
    for (const secret of [
      hostile,
      'lulu',
      encodeURIComponent(hostile),
      token,
      token.slice(-20),
      'LULU',
      'ada@',
      'Ada',
      'whsec_',
    ])
      expect(everything).not.toContain(secret)
  })

  it('names no account, key, subscription or event in a metric', async () => {
    const { watching, callboard, router, token, subscribe } = await watchedPlatform()
    const subscription = await subscribe()
    const { id } = await callboard.publish(orderPaidEvent())
    const headers = { authorization: `Bearer ${token}` }
    await router.fetch(new Request('https://example.com/api/v1/me', { headers }))
    const sent = gate()
    const outcome = { kind: 'response', status: 200, body: '', truncated: false } as const
    const worker = await startWorker(callboard, { transport: answering(outcome, sent), pollMs: 5 })
    await sent.opened
    await worker.stop()
    const names = Object.keys(await watching.units())
    const keys = new Set<string>()
    const values = new Set<unknown>()
    for (const name of names)
      for (const { attributes } of await watching.points(name))
        for (const [key, value] of Object.entries(attributes)) {
          keys.add(key)
          values.add(value)
        }
    expect([...keys].sort()).toEqual([
      'callboard.attempt.outcome',
      'callboard.subscription.disabled_reason',
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'messaging.destination.name',
      'messaging.operation.name',
      'messaging.system',
      'url.scheme',
    ])
    for (const each of [id, subscription.id, 'acc']) expect(values).not.toContain(each)
    expect(await watching.units()).toEqual({
      'http.server.request.duration': 's',
      'messaging.client.sent.messages': '{message}',
      'messaging.client.operation.duration': 's',
      'http.client.request.duration': 's',
      'callboard.delivery.active_attempts': '{attempt}',
      'callboard.delivery.attempts': '{attempt}',
      'callboard.delivery.attempt.duration': 's',
      'callboard.feed.lag': 's',
      'callboard.feed.waiting': '{event}',
      'callboard.lane.lag': 's',
      'callboard.delivery.lag': 's',
      'callboard.delivery.retries': '{delivery}',
      'callboard.subscription.disabled': '{subscription}',
      'callboard.lane.paused': '{subscription}',
      'callboard.account.waiting': '{account}',
      'callboard.host.held_back': '{host}',
    })
  })
})

describe('the gauges', () => {
  it('report a replica’s lag and whether it is used, or, if the lag is unknown, only that it is not used', async () => {
    const points = async (replica: ReplicaGauges) => {
      const watching = startWatching()
      const { store } = await memoryFixture()
      watching.telemetry().observe(async () => ({ ...(await store.deliveries.gauges()), replica }))
      const names = ['callboard.replica.lag', 'callboard.replica.usable']
      return Promise.all(names.map(async (name) => (await watching.points(name)).map(({ value }) => value)))
    }
    expect(await points({ lagMs: 1_500, usable: false })).toEqual([[1.5], [0]])
    expect(await points({ lagMs: 0, usable: true })).toEqual([[0], [1]])
    expect(await points({ lagMs: undefined, usable: false })).toEqual([[], [0]])
  })
})
