import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { CallboardApiError, createClient } from '@callboard/client'
import { RUNTIMES } from '@callboard/runtimes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { thrownBy } from '../arrange.ts'
import { runProgram } from '../targets/run-canary.ts'
import type { Calls } from './calls.ts'
import { follow, read, subscribe } from './readme.ts'
import { type RealApi, startRealApi } from './real-api.ts'

let api: RealApi
beforeAll(async () => {
  api = await startRealApi()
  await api.publish(4)
})
afterAll(() => api.stop())

describe('the client against the real router', () => {
  it.each(RUNTIMES)('makes every call from $name', async (runtime) => {
    const options = { baseUrl: api.baseUrl, apiKey: await api.key() }
    const program = new URL('./calls.ts', import.meta.url).href
    expect(await runProgram<Calls>(program, options, runtime)).toEqual({
      account: 'Acme',
      types: ['order.paid', 'attendee.checked_in'],
      events: 5,
      orders: ['ord_4', 'ord_3', 'ord_2', 'ord_1'].map((id) => `${id} ada@example.com`),
      pages: [2, 2, 1],
      feed: [2, 2, 1],
      followed: 5,
      same: true,
      updated: 'https://hooks.example.com/2 undefined',
      rotated: true,
      // This API was created without `tests`.
      tested: 'NOT_FOUND',
      state: 'disabled',
      resent: ['scheduled', 0, 'pending', null],
      listed: ['flow'],
      event: 'attendee.checked_in',
      sources: ['198.51.100.0/24'],
      backfills: ['running', 'running', 'cancelled'].map((state) => `2026-01-01T00:00:00.000Z ${state}`),
      unknown: 'NOT_FOUND',
      aborted: 'no longer',
    })
  })

  it('throws an error whose fields describe the API’s refusal', async () => {
    const reader = createClient({ baseUrl: api.baseUrl, apiKey: await api.key(['webhooks.read']) })
    const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
    expect(await thrownBy(reader.subscriptions.create(input))).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
      statusCode: 403,
      path: '/api/v1/webhooks/subscriptions',
      requestId: expect.stringMatching(/^req_/),
    })
    const writer = createClient({ baseUrl: api.baseUrl, apiKey: await api.key() })
    const invalid = await thrownBy(writer.subscriptions.create({ targetUrl: 'http://localhost', eventTypes: ['x'] }))
    expect(invalid).toBeInstanceOf(CallboardApiError)
    expect(invalid).toMatchObject({
      code: 'VALIDATION_FAILED',
      statusCode: 400,
      timestamp: expect.stringMatching(/Z$/),
      issues: [{ path: 'targetUrl' }, { path: 'eventTypes' }],
    })
    const stranger = createClient({ baseUrl: api.baseUrl, apiKey: 'cb_live_nobody' })
    expect(await thrownBy(stranger.me())).toMatchObject({ code: 'UNAUTHENTICATED', statusCode: 401 })
    const astray = createClient({ baseUrl: api.baseUrl.replace('/api', '/app'), apiKey: 'cb_live_nobody' })
    expect(await thrownBy(astray.me())).toMatchObject({ code: 'NOT_FOUND', path: '/app/v1/me' })
  })

  it('waits until the rate limits of its key allow the next call', async () => {
    const apiKey = await api.key(
      ['webhooks.read'],
      [
        { seconds: 1, limit: 2 },
        { seconds: 10, limit: 2 },
        { seconds: 60, limit: 2 },
      ],
    )
    const waits: number[] = []
    const sleep = async (ms: number): Promise<void> => {
      waits.push(ms)
      await api.advance(ms)
    }
    const client = createClient({ baseUrl: api.baseUrl, apiKey, sleep, random: () => 0 })
    const ids = new Set<string>()
    for await (const { id } of client.events({ limit: 1 })) ids.add(id)
    expect(ids.size).toBe(5)
    // The client waits twice, or only once if a new minute began during the test.
    expect(waits.length).toBeGreaterThan(0)
  })
})

describe('the README', () => {
  it('has an example that subscribes, reads and reports a refusal', async () => {
    const saved: string[] = []
    const first = await subscribe(api.baseUrl, await api.key(), 'flow 9')
    expect(first).toMatchObject({ created: true, externalRef: 'flow 9', integration: 'other' })
    await read(api.baseUrl, await api.key(), ({ id }) => void saved.push(id))
    expect(new Set(saved).size).toBe(4)
    await expect(subscribe(api.baseUrl, await api.key(['webhooks.read']), 'flow 9')).rejects.toThrow(
      /^INSUFFICIENT_SCOPE: .*webhooks\.write.* \(req_/,
    )
  })

  it('has an example that follows new events, and continues where it stopped', async () => {
    const apiKey = await api.key()
    const stop = new Error('stop')
    let cursor: string | undefined
    const kept = {
      cursor: async () => cursor,
      async save(saved: string) {
        cursor = saved
      },
    }
    /** Follows until it has handled this many orders, and fails in the next one. */
    const run = async (count: number): Promise<string[]> => {
      const handled: string[] = []
      const running = follow(api.baseUrl, apiKey, kept, async ({ subject }) => {
        if (handled.length === count) throw stop
        handled.push(subject.id)
      })
      while (cursor === undefined) await setTimeout(1)
      if (count === 1) await api.publish(3)
      await expect(running).rejects.toBe(stop)
      return handled
    }
    expect(await run(1)).toEqual(['ord_1'])
    await api.publish(1)
    expect(await run(2)).toEqual(['ord_2', 'ord_3'])
  })

  it('contains, unchanged, the example that these tests run', () => {
    const example = readFileSync(new URL('./readme.ts', import.meta.url), 'utf8')
    const readme = readFileSync(new URL('../../../../packages/client/README.md', import.meta.url), 'utf8')
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`)
  })
})
