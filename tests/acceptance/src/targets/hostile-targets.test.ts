import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { createCallboard, type LogEntry, type LoggedAttempt } from '@callboard/core'
import { TARGET_URL_MESSAGE } from '@callboard/core/engine'
import { createHttpsTransport, type Resolve } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey } from '../arrange.ts'
import { RING } from '../on-each-store.ts'
import { catalog } from '../sample-catalog.ts'
import { GOOD_URLS, HOSTILE_ADDRESSES, HOSTILE_URLS, PUBLIC_ADDRESSES } from './hostile-targets.ts'
import { tryTargets } from './try-targets.ts'

describe('a target at creation', () => {
  let create: (targetUrl: string) => Promise<Response>
  let created = 0
  const log: LogEntry[] = []

  beforeAll(async () => {
    const callboard = createCallboard({
      catalog,
      store: createMemoryStore(),
      secretKeys: { current: 'k1', keys: { k1: RING.k1 } },
      log: (entry) => log.push(entry),
      rateLimits: [
        { seconds: 1, limit: 1_000_000 },
        { seconds: 10, limit: 1_000_000 },
        { seconds: 60, limit: 1_000_000 },
      ],
    })
    await callboard.accounts.create({ id: 'acc', name: 'Acme' })
    const { token } = await issueKey(callboard)
    const { fetch } = createRouter(callboard)
    create = (targetUrl) =>
      fetch(
        new Request('https://api.example.com/v1/webhooks/subscriptions', {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            targetUrl,
            eventTypes: ['order.paid'],
            integration: 'zapier',
            externalRef: `${++created}`,
          }),
        }),
      )
  })

  it.each(HOSTILE_URLS)('is refused with the same message, and only the log names the rule: %j', async (targetUrl) => {
    log.length = 0
    const response = await create(targetUrl)
    expect(response.status).toBe(400)
    const body = await response.json()
    expect(body).toMatchObject({ errorCode: 'VALIDATION_FAILED', message: TARGET_URL_MESSAGE })
    expect(body.issues).toEqual([{ path: 'targetUrl', message: TARGET_URL_MESSAGE }])
    const fields = { account: 'acc', rule: expect.stringMatching(/^[a-z-]+$/) }
    expect(log).toEqual([{ level: 'info', message: 'a target was refused', fields }])
  })

  it.each(GOOD_URLS)('is accepted and shown as it was sent: %j', async (targetUrl) => {
    const response = await create(targetUrl)
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ targetUrl })
  })
})

describe('a target at delivery, however it got into the store', () => {
  /** The policy allows this address, where nothing listens, to prove that the test detects connections. */
  const CONTROL = '127.9.9.9'
  const byName = new Map<string, string>(
    [...HOSTILE_ADDRESSES, CONTROL].map((address, index) => [`n${index}.hooks.example.com`, address]),
  )
  const asked = new Set<string>()
  const resolve: Resolve = async (name) => {
    asked.add(name)
    const address = byName.get(name)
    return address === undefined ? [] : [address]
  }
  let attempts: ReadonlyMap<string, LoggedAttempt>
  const connected: string[] = []

  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (address: string) => connected.push(address))
  }

  beforeAll(async () => {
    const targets = { allowedCidrs: [`${CONTROL}/32`] }
    const transport = createHttpsTransport({ addressPolicy: targets, resolve })
    subscribe('net.client.socket', onSocket)
    const urls = [...HOSTILE_URLS, ...[...byName.keys()].map((name) => `https://${name}/hook`)]
    attempts = await tryTargets(urls, targets, { transport })
    unsubscribe('net.client.socket', onSocket)
    await transport.close()
  })
  afterAll(() => void unsubscribe('net.client.socket', onSocket))

  const blocked = expect.objectContaining({
    outcome: 'exhausted',
    reason: 'blocked',
    status: undefined,
    response: undefined,
  })

  it.each(HOSTILE_URLS)('is blocked: %j', (targetUrl) => {
    expect(attempts.get(targetUrl)).toEqual(blocked)
  })

  it.each([...byName].filter(([, address]) => address !== CONTROL))(
    'is blocked: %s, which resolves to %s',
    (name, address) => {
      expect(asked).toContain(name)
      const log = attempts.get(`https://${name}/hook`)
      expect(log).toEqual(blocked)
      expect(JSON.stringify(log)).not.toContain(address)
    },
  )

  it('is reached only at the allowed address', () => {
    expect([...new Set(connected)]).toEqual([CONTROL])
  })

  it('is not looked up if the policy refuses its name', () => {
    // This name is good. Some URLs that contain it are refused for another reason, such as their scheme.
    const good = 'hooks.example.com'
    expect([...asked].filter((name) => !byName.has(name) && name !== good)).toEqual([])
  })
})

it('the tables have at least 250 hostile targets and 27 good ones', () => {
  expect(HOSTILE_URLS.length + HOSTILE_ADDRESSES.length).toBeGreaterThanOrEqual(250)
  expect(GOOD_URLS.length + PUBLIC_ADDRESSES.length).toBeGreaterThanOrEqual(27)
})
