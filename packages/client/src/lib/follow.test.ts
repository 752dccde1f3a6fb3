import { describe, expect, it } from 'vitest'
import { createClient } from '../index.ts'
import type { CallboardApiError } from './callboard-api-error.ts'
import type { Fetch } from './client-options.ts'
import type { FollowOptions } from './follow.ts'

/** What the API answers, in turn; the last answer repeats. */
type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>

/** Creates a client of an API that gives these answers, and records the requests and the waits between them. */
function apiThat(...answers: readonly Answer[]) {
  const requests: { path: string; accept: string | null }[] = []
  const waits: number[] = []
  const fetch: Fetch = async (url, init) => {
    const asked = new URL(url)
    requests.push({ path: asked.pathname + asked.search, accept: new Headers(init.headers).get('accept') })
    return answers[Math.min(requests.length, answers.length) - 1]!(asked, init)
  }
  const client = createClient({
    baseUrl: 'https://api.example.com',
    apiKey: 'cb_live_x',
    fetch,
    sleep: async (ms) => void waits.push(ms),
    random: () => 0.5,
  })
  return { client, requests, waits }
}

const event = (id: string): string => JSON.stringify({ id, type: 'order.paid' })

/** Answers with a stream that consists of these pieces. */
const streamed = (pieces: readonly Uint8Array[], contentType: string): Answer => {
  return () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': contentType } })
  }
}

const stream = (text = ''): Answer => streamed([new TextEncoder().encode(text)], 'text/event-stream')

const page = (ids: readonly string[], nextCursor: string, truncated = false): Answer => {
  return () => Response.json({ data: ids.map((id) => JSON.parse(event(id))), nextCursor, hasMore: false, truncated })
}

const problem = (statusCode: number, errorCode: string, headers: Record<string, string> = {}): Answer => {
  return () => Response.json({ statusCode, errorCode, message: 'No.' }, { status: statusCode, headers })
}

/** Reads `count` events, and leaves the loop with the next one. */
async function read({ client }: ReturnType<typeof apiThat>, count: number, options: FollowOptions = {}) {
  const ids: string[] = []
  for await (const { id } of client.events.follow(options)) {
    if (ids.length === count) break
    ids.push(id)
  }
  return ids
}

describe('following the events', () => {
  it('yields the events of a stream, whatever the pieces in which they arrive', async () => {
    const text = `: hello\nretry: 2000\nid: c0\n\nid: c1\ndata: ${event('evt_ü')}\n\nid: c2\ndata: ${event('evt_2')}\n\n`
    const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte))
    const api = apiThat(
      streamed(bytes, 'text/event-stream; charset=utf-8'),
      stream(`id: c3\ndata: ${event('evt_3')}\n\n`),
    )
    expect(await read(api, 2, { types: ['order.paid', 'order.refunded'], since: '2026-11-20T12:00:00Z' })).toEqual([
      'evt_ü',
      'evt_2',
    ])
    expect(api.requests).toEqual([
      {
        path: '/v1/events/feed?since=2026-11-20T12%3A00%3A00Z&types=order.paid%2Corder.refunded',
        accept: 'text/event-stream',
      },
      { path: '/v1/events/feed?after=c2&types=order.paid%2Corder.refunded', accept: 'text/event-stream' },
    ])
  })

  it('gives the cursor after an event once the loop has finished with it, and waits for onCursor', async () => {
    const api = apiThat(
      stream(`id: c0\n\nid: c1\ndata: ${event('evt_1')}\n\nid: c2\ndata: ${event('evt_2')}\n\nid: c3\n\n`),
      stream(`id: c4\ndata: ${event('evt_4')}\n\n`),
    )
    const log: string[] = []
    const onCursor = async (cursor: string): Promise<void> => {
      await Promise.resolve()
      log.push(cursor)
    }
    for await (const { id } of api.client.events.follow({ after: 'c', onCursor })) {
      log.push(id)
      if (id === 'evt_4') break
    }
    expect(log).toEqual(['c0', 'evt_1', 'c1', 'evt_2', 'c2', 'c3', 'evt_4'])
    expect(api.requests.map(({ path }) => path)).toEqual(['/v1/events/feed?after=c', '/v1/events/feed?after=c3'])
  })

  it('says before the next event that events may be missing', async () => {
    const log: string[] = []
    const api = apiThat(stream(`event: truncated\ndata: {}\n\nid: c2\ndata: ${event('evt_2')}\n\n`))
    for await (const { id } of api.client.events.follow({ after: 'c', onTruncated: () => log.push('truncated') })) {
      log.push(id)
      break
    }
    expect(log).toEqual(['truncated', 'evt_2'])
  })

  it('connects again after longer and longer pauses, as long as a failure may pass', async () => {
    const broken: Answer = () => {
      throw new TypeError('fetch failed')
    }
    const api = apiThat(
      problem(503, 'UNAVAILABLE'),
      broken,
      stream(),
      problem(429, 'RATE_LIMITED', { 'retry-after': '7' }),
      stream(`id: c1\ndata: ${event('evt_1')}\n\n`),
    )
    expect(await read(api, 1)).toEqual(['evt_1'])
    // Half of 1, 2, 4 and 8 seconds, but as long as the API asks; then half of half a second.
    expect(api.waits).toEqual([500, 1_000, 2_000, 7_000, 250])
  })

  it('throws what does not pass by itself', async () => {
    const api = apiThat(stream(`id: c1\ndata: ${event('evt_1')}\n\n`), problem(401, 'UNAUTHENTICATED'))
    const error = await read(api, 2).catch((thrown: CallboardApiError) => thrown)
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', statusCode: 401 })
    await expect(read(apiThat(problem(400, 'VALIDATION_FAILED')), 1)).rejects.toMatchObject({ statusCode: 400 })
    const log = apiThat(stream('id: c1\n\n')).client.events.follow({
      onCursor: () => {
        throw new Error('the disk is full')
      },
    })
    await expect(log.next()).rejects.toThrow('the disk is full')
  })

  it('asks for pages that wait if no stream comes through, the first one without waiting', async () => {
    const api = apiThat(page([], 'c0'), page([], 'c0'), page(['evt_1', 'evt_2'], 'c2', true), page(['evt_3'], 'c3'))
    const cursors: string[] = []
    let truncated = 0
    const ids = await read(api, 2, { onCursor: (cursor) => cursors.push(cursor), onTruncated: () => (truncated += 1) })
    expect(ids).toEqual(['evt_1', 'evt_2'])
    expect(api.requests).toEqual([
      { path: '/v1/events/feed', accept: 'text/event-stream' },
      { path: '/v1/events/feed?wait=0', accept: 'application/json' },
      { path: '/v1/events/feed?after=c0&wait=20', accept: 'application/json' },
      { path: '/v1/events/feed?after=c2&wait=20', accept: 'application/json' },
    ])
    expect([cursors, truncated, api.waits]).toEqual([['c0', 'c2'], 1, []])
  })

  it('ends at once when the signal aborts, and closes its connection', async () => {
    const leaving = new AbortController()
    let closed: AbortSignal | null | undefined
    const api = apiThat((_, { signal }) => {
      closed = signal
      const body = new ReadableStream({
        start(controller) {
          signal?.addEventListener('abort', () => controller.error(signal.reason))
        },
      })
      queueMicrotask(() => leaving.abort('no longer'))
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    await expect(read(api, 1, { signal: leaving.signal })).rejects.toBe('no longer')
    expect(closed?.aborted).toBe(true)
  })
})
