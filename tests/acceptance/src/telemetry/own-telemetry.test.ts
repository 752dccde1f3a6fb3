import { inspect } from 'node:util'
import { createCallboard } from '@callboard/core'
import { engineOf, type Telemetry } from '@callboard/core/engine'
import { startWorker, type Transport } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { describe, expect, it } from 'vitest'
import { issueKey, newCaller, orderPaidEvent, thrownBy } from '../arrange.ts'
import { gate } from '../delivery-it.ts'
import { facadeOptions } from '../on-each-store.ts'
import { memoryFixture } from '../stores.ts'

const never = new Promise<never>(() => undefined)
const broken = new Error('telemetry is broken')
const fail = (): never => {
  throw broken
}

type Watch = <T>(seen: unknown, work: (given?: string) => Promise<T>) => Promise<T>

/** Telemetry that passes requests, publishes and attempts to `watch`; its other methods throw. */
function telemetryThat(watch: Watch): Telemetry {
  return {
    request: (seen, answer) => watch(seen, () => answer()),
    publish: (seen, publish) => watch(seen, publish),
    attempt: (seen, send) => watch(seen, send),
    recorded: fail,
    observe: fail,
  }
}

const HOSTILE = 'ada@example.com'

/**
 * A platform on the memory store with a subscription. Its worker records the headers of requests instead of sending the
 * requests.
 */
async function platformWith(telemetry: Telemetry) {
  const fixture = await memoryFixture()
  const errors: unknown[] = []
  const callboard = createCallboard({
    ...facadeOptions(fixture),
    telemetry,
    onError: (error) => void errors.push(error),
  })
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  const subscription = await engineOf(callboard).apiSubscriptions.create(await newCaller(callboard), {
    targetUrl: 'https://hooks.example.com/secret-path',
    eventTypes: ['order.paid'],
    integration: 'other',
  })
  const sent: Readonly<Record<string, string>>[] = []
  const arrived = [gate(), gate()]
  const transport: Transport = {
    async send({ headers }) {
      sent.push(headers)
      arrived[sent.length - 1]?.open()
      return { kind: 'response', status: 204, body: HOSTILE, truncated: false, durationMs: 1 }
    },
    close: () => undefined,
  }
  return { callboard, subscription, errors, sent, arrived, work: () => startWorker(callboard, { transport }) }
}

const WAYS: Readonly<Record<string, Watch>> = {
  'throws before the work': fail,
  'throws after it has begun': (_seen, work) => {
    void work()
    return fail()
  },
  'rejects before the work': () => Promise.reject(broken),
  'rejects after the work': async (_seen, work) => {
    await work()
    return fail()
  },
  'never ends': async (_seen, work) => {
    await work()
    return never
  },
  'never begins the work': () => never,
  'does the work twice': async (_seen, work) => {
    await work()
    return work()
  },
}

describe('the platform’s own telemetry', () => {
  it.each(Object.entries(WAYS))('changes nothing when it %s', async (_, watch) => {
    const { callboard, subscription, errors, sent, arrived, work } = await platformWith(telemetryThat(watch))
    const { token } = await issueKey(callboard)
    const request = new Request('https://example.com/v1/me', { headers: { authorization: `Bearer ${token}` } })
    expect((await createRouter(callboard).fetch(request)).status).toBe(200)

    const first = await callboard.publish(orderPaidEvent())
    const worker = await work()
    await arrived[0]?.opened
    // Whatever telemetry did with the first event, the second one is delivered as well.
    const second = await callboard.publish(orderPaidEvent())
    await arrived[1]?.opened
    await worker.stop()
    expect(sent.map((headers) => headers['webhook-id'])).toEqual([first.id, second.id])
    const { deliveries } = await callboard.deliveries.list({
      accountId: 'acc',
      mode: 'live',
      subscriptionId: subscription.id,
    })
    expect(deliveries.map(({ state, attempts }) => ({ state, attempts }))).toEqual([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
    ])
    expect(new Set(errors)).toEqual(new Set([broken]))
  })

  it('lets callers get the errors of their own work, which are not passed to onError', async () => {
    const swallowing: Telemetry = {
      ...telemetryThat((_seen, work) => work()),
      publish: (_seen, publish) => publish(undefined).catch(() => []),
      observe: () => undefined,
    }
    const { callboard, errors } = await platformWith(swallowing)
    expect(await thrownBy(callboard.publish(orderPaidEvent({ accountId: 'nobody' })))).toMatchObject({
      code: 'ACCOUNT_UNKNOWN',
    })
    const passing = await platformWith({ ...telemetryThat((_seen, work) => work()), observe: () => undefined })
    await thrownBy(passing.callboard.publish(orderPaidEvent({ accountId: 'nobody' })))
    expect([...errors, ...passing.errors]).toEqual([])
  })

  it('receives no token, no query, and only the host, port and status of a target', async () => {
    const told: unknown[] = []
    const telling: Telemetry = {
      ...telemetryThat(async (seen, watched) => {
        const came = await watched()
        told.push(seen)
        return came
      }),
      recorded: (attempts) => void told.push(attempts),
    }
    const { callboard, arrived, work } = await platformWith(telling)
    const { token } = await issueKey(callboard)
    const headers = { authorization: `Bearer ${token}` }
    await createRouter(callboard).fetch(
      new Request(`https://example.com/v1/events?type=${HOSTILE}#${HOSTILE}`, { headers }),
    )
    await callboard.publish(orderPaidEvent())
    const worker = await work()
    await arrived[0]?.opened
    await worker.stop()
    expect(told).toEqual([
      expect.objectContaining({ route: '/v1/events', caller: expect.objectContaining({ mode: 'live' }) }),
      [expect.objectContaining({ type: 'order.paid' })],
      expect.objectContaining({ target: { host: 'hooks.example.com', port: 443 } }),
      [expect.objectContaining({ outcome: 'delivered', status: 204 })],
    ])
    const everything = inspect(told, { depth: Number.POSITIVE_INFINITY, getters: true, showHidden: true })
    for (const hostile of [HOSTILE, encodeURIComponent(HOSTILE), token, 'secret-path'])
      expect(everything).not.toContain(hostile)
  })

  it('can add only a valid traceparent to the headers of a delivery', async () => {
    const { callboard, sent, arrived, work } = await platformWith(
      telemetryThat((_seen, watched) => watched(`${HOSTILE}\r\nx: y`)),
    )
    await callboard.publish(orderPaidEvent())
    const worker = await work()
    await arrived[0]?.opened
    await worker.stop()
    expect(sent[0]).not.toHaveProperty('traceparent')
  })
})
