import { engineOf } from '@callboard/core/engine'
import type { Store } from '@callboard/core/store'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPlatform, type PlatformOptions, problemIn } from '../../../test/platform.ts'
import { eventStream } from '../event-stream.ts'

const LONG_AGO = '2020-01-01T00:00:00Z'

/** A message of a stream. */
interface Message {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
}

/** Streams to end after the test, which would otherwise keep their timers. */
const streams: { cancel(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.cancel()))
})

/** Reads a response message by message. */
function messagesOf({ body }: Response) {
  const reader = body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        return Object.fromEntries(
          lines.filter((line) => !line.startsWith(':')).map((line) => /^(\w+): (.*)$/.exec(line)!.slice(1)),
        )
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      text += decoder.decode(value, { stream: true })
    }
  }
  const stream = { next, cancel: () => reader.cancel() }
  streams.push(stream)
  return stream
}

async function open(options: PlatformOptions = {}) {
  const platform = await createPlatform(options)
  const { callboard } = platform
  const { id: keyId, token } = await platform.issue(['webhooks.read'])
  /** Publishes orders, and brings them into the feed. */
  const publish = async (count: number): Promise<string[]> => {
    const ids: string[] = []
    for (let index = 0; index < count; index++) ids.push(await platform.publishOrder(`ord_${index}`))
    await engineOf(callboard).store.deliveries.sequence(1_000)
    engineOf(callboard).onSequenced()
    return ids
  }
  const ask = (query = '', headers: Record<string, string> = {}, method = 'GET') =>
    platform.ask(`/v1/events/feed${query}`, { token, headers, method })
  const stream = async (query = '', headers: Record<string, string> = {}) => {
    const response = await ask(query, { accept: 'text/event-stream', ...headers })
    expect(response.status).toBe(200)
    return messagesOf(response)
  }
  /** Opens a stream, and reads up to the message with the cursor at which it starts. */
  const begun = async (query = '', headers: Record<string, string> = {}) => {
    const messages = await stream(query, headers)
    expect(await messages.next()).toEqual({ retry: expect.stringMatching(/^\d{4}$/) })
    return { ...messages, cursor: (await messages.next())?.id ?? '' }
  }
  return { ...platform, token, keyId, publish, ask, stream, begun }
}

const idIn = ({ data }: Message = {}): string => JSON.parse(data ?? '{}').id

describe('a stream of events', () => {
  it('says at once that it has begun and where, and is neither cached, compressed nor buffered', async () => {
    const { ask } = await open()
    const response = await ask('', { accept: 'text/event-stream' })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      vary: 'Accept',
    })
    const { next } = messagesOf(response)
    await next()
    expect(await next()).toEqual({ id: expect.stringMatching(/^[\w-]+$/) })
    expect((await ask()).headers.get('vary')).toBe('Accept')
  })

  it('brings each event as the page has it, with the cursor after it', async () => {
    const { ask, begun, publish } = await open()
    const { cursor, next } = await begun()
    const ids = await publish(3)
    const page = await (await ask(`?after=${cursor}`)).text()
    const messages = [await next(), await next(), await next()]
    expect(messages.map(idIn)).toEqual(ids)
    expect(page).toContain(`{"data":[${messages.map((message) => message?.data).join(',')}],`)
    const rest = await (await ask(`?after=${messages[1]?.id}`)).json()
    expect(rest).toMatchObject({ data: [{ id: ids[2] }], truncated: false })
    const [fourth] = await publish(1)
    expect(idIn(await next())).toBe(fourth)
  })

  it('brings only events of the given types, and continues after Last-Event-ID rather than at after or since', async () => {
    const { begun, publish, publishCheckIn, stream } = await open()
    const { cursor } = await begun('?types=order.paid')
    const [first, second] = await publish(2)
    await publishCheckIn('att_1')
    const all = await stream(`?types=order.paid&since=${LONG_AGO}`)
    await all.next()
    const message = await all.next()
    expect(idIn(message)).toBe(first)
    for (const query of [`&since=${LONG_AGO}`, `&after=${cursor}`]) {
      const again = await stream(`?types=order.paid${query}`, { 'last-event-id': message?.id ?? '' })
      await again.next()
      expect(idIn(await again.next())).toBe(second)
    }
  })

  it('catches up with everything that was missed', async () => {
    const { publish, stream } = await open()
    const ids = await publish(250)
    const { next } = await stream(`?since=${LONG_AGO}`)
    await next()
    const seen: string[] = []
    while (seen.length < ids.length) seen.push(idIn(await next()))
    expect(seen).toEqual(ids)
  })

  it('says before the next event that events may be missing', async () => {
    const { begun, callboard, clock, publish, stream } = await open()
    const { cursor } = await begun()
    await publish(2)
    clock.now += 40 * 86_400_000
    await callboard.retention.run()
    const [fresh] = await publish(1)
    const { next } = await stream(`?after=${cursor}`)
    await next()
    expect(await next()).toEqual({ event: 'truncated', data: '{}' })
    expect(idIn(await next())).toBe(fresh)
  })

  it('answers HEAD with the head only, and does not count as a stream', async () => {
    const { ask, stream } = await open()
    for (let count = 0; count < 5; count++) {
      const head = await ask('?wait=30', { accept: 'text/event-stream' }, 'HEAD')
      expect([head.status, head.headers.get('content-type'), head.body]).toEqual([200, 'text/event-stream', null])
      expect((await ask('?wait=30', {}, 'HEAD')).status).toBe(200)
    }
    await stream()
  })

  it('refuses what the page refuses', async () => {
    const { ask } = await open()
    const headers = { accept: 'text/event-stream' }
    expect((await problemIn(await ask('?types=order.eaten', headers))).errorCode).toBe('VALIDATION_FAILED')
    const problem = await problemIn(await ask('', { ...headers, 'last-event-id': 'AAAA' }))
    expect(problem.issues?.map(({ path }) => path)).toEqual(['after'])
  })

  it('ends when its key is revoked, before it brings another event', async () => {
    const { begun, callboard, keyId, publish } = await open()
    const { next } = await begun()
    await callboard.keys.revoke({ accountId: 'acc_1', id: keyId })
    let brought = 0
    for (let message: Message | undefined = {}; message !== undefined; brought++) {
      await publish(1)
      message = await next()
    }
    // Those of the second for which the key's rights are remembered.
    expect(brought).toBeGreaterThan(0)
  })

  it('leaves out personal data as soon as its key has lost people.read', async () => {
    let lost = false
    const withoutPeople = (store: Store<unknown>): Store<unknown> => ({
      ...store,
      admission: {
        ...store.admission,
        async identify(tokenHash) {
          const known = await store.admission.identify(tokenHash)
          return known && lost ? { ...known, caller: { ...known.caller, scopes: ['webhooks.read'] } } : known
        },
      },
    })
    const { fetch, issue, publish } = await open({ breakStore: withoutPeople })
    const { token } = await issue(['webhooks.read', 'people.read'])
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const { next } = messagesOf(await fetch(new Request('https://api.example.com/v1/events/feed', { headers })))
    for (const _ of ['retry', 'cursor']) await next()
    await publish(1)
    expect((await next())?.data).toContain('grace@example.com')
    lost = true
    for (let data: string | undefined; ; ) {
      await publish(1)
      data = (await next())?.data
      expect(data).toContain('order.paid')
      if (!data?.includes('grace@example.com')) break
    }
  })

  it('ends after maxOpenMs, or when the server closes', async () => {
    const short = await open({ maxOpenMs: 1 })
    const { next } = await short.begun()
    expect(await next()).toBeUndefined()

    const closing = new AbortController()
    const closed = await open({ closing: closing.signal })
    const { next: nextOfClosed } = await closed.begun()
    const waits = closed.ask('?wait=30')
    closing.abort()
    expect(await nextOfClosed()).toBeUndefined()
    expect(await (await waits).json()).toMatchObject({ data: [], hasMore: false })
    const late = await closed.stream()
    await late.next()
    expect(await late.next()).toBeUndefined()
  })

  it.each([
    ['from the beginning', 0],
    ['after an event', 2],
  ])('is closed if its reader takes nothing for 30 seconds, %s', async (_, pieces) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const end = vi.fn()
    const events = [{ text: '{}', cursor: 'c1' }]
    const body = eventStream(async () => ({ events, cursor: 'c1', truncated: false }), {
      end,
      onError: () => undefined,
    })
    const reader = body.getReader()
    for (let taken = 0; taken < pieces; taken++) await reader.read()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(end).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2)
    expect(end).toHaveBeenCalledOnce()
    await expect(reader.read()).rejects.toThrow('takes no events')
  })

  it('ends if the store fails, and reports the cause', async () => {
    const errors: unknown[] = []
    let broken = false
    const failing = (store: Store<unknown>): Store<unknown> => ({
      ...store,
      events: {
        ...store.events,
        readFeed: (reads) => (broken ? Promise.reject(new Error('no disk')) : store.events.readFeed(reads)),
      },
    })
    const { ask, begun, publish } = await open({ breakStore: failing, onError: (error) => errors.push(error) })
    const { next } = await begun()
    broken = true
    const waits = ask('?wait=30')
    await publish(1)
    expect(await next()).toBeUndefined()
    expect((await waits).status).toBe(500)
    expect(errors).toEqual([new Error('no disk'), new Error('no disk')])
  })
})

describe('wait', () => {
  it('holds the request until there is an event', async () => {
    const { ask, begun, publish } = await open()
    const { cursor } = await begun()
    const waiting = ask(`?after=${cursor}&wait=30`)
    const [id] = await publish(1)
    expect(await (await waiting).json()).toMatchObject({ data: [{ id }], hasMore: false })
  })

  it('ends without an event after its time, or after maxOpenMs', async () => {
    const { ask } = await open({ maxOpenMs: 1 })
    expect(await (await ask('?wait=30')).json()).toMatchObject({ data: [], hasMore: false, truncated: false })
  })

  it('ends with a 401 if the key is revoked meanwhile', async () => {
    const { ask, callboard, keyId } = await open({ maxOpenMs: 1_100 })
    const waiting = ask('?wait=30')
    await callboard.keys.revoke({ accountId: 'acc_1', id: keyId })
    expect((await problemIn(await waiting)).errorCode).toBe('UNAUTHENTICATED')
  })

  it('is limited to 4 calls of a key and 50 of an account, and leaves the others alone', async () => {
    const { ask, issue, stream, fetch } = await open()
    const first = await stream()
    for (let count = 1; count < 4; count++) await stream()
    const refused = await ask('?wait=1')
    expect(refused.headers.get('retry-after')).toBe('10')
    const problem = await problemIn(refused)
    expect([problem.errorCode, problem.message]).toEqual([
      'RATE_LIMITED',
      'This key already has 4 calls that wait for events. End one of them first.',
    ])
    expect((await ask()).status).toBe(200)
    await first.cancel()
    await stream()

    const others = async (): Promise<Response> => {
      const { token } = await issue(['webhooks.read'], 'test')
      const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
      return fetch(new Request('https://api.example.com/v1/events/feed', { headers }))
    }
    for (let count = 4; count < 50; count++) messagesOf(await others())
    expect((await problemIn(await others())).message).toContain('This account already has 50 calls')
  })
})
