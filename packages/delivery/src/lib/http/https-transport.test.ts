import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Behaviour,
  createLoopbackTarget,
  createSilentListener,
  LOOPBACK_POLICY,
  type LoopbackTarget,
  TARGET_HOST,
} from '../../test/loopback-target.ts'
import { fillCertificateChest } from '../../test/misbehaviours/certificate-chest.ts'
import { startHostileServer } from '../../test/misbehaviours/hostile-server.ts'
import type { Misbehaviour } from '../../test/misbehaviours/misbehaviour.ts'
import { createDnsResolver } from './dns-resolver.ts'
import { causeOfConnecting, isOutOfMemory } from './failure-cause.ts'
import { createHttpsTransport, type HttpsTransportOptions } from './https-transport.ts'
import type { Transport, TransportOutcome } from './transport.ts'

let target: LoopbackTarget
const open: Transport[] = []

beforeAll(async () => {
  target = await createLoopbackTarget()
})
beforeEach(() => target.behave((_request, response) => response.end('ok')))
afterEach(async () => {
  for (const transport of open.splice(0)) await transport.close()
})
afterAll(() => target.close())

function transportWith(options: HttpsTransportOptions = {}): Transport {
  const transport = createHttpsTransport({
    addressPolicy: LOOPBACK_POLICY,
    extraCaCertificates: [target.ca],
    resolve: async () => ['127.0.0.1'],
    ...options,
  })
  open.push(transport)
  return transport
}

const send = (transport: Transport, url = target.url, signal?: AbortSignal): Promise<TransportOutcome> =>
  transport.send(
    { url, headers: { 'content-type': 'application/json' }, body: new TextEncoder().encode('{"é":1}') },
    signal,
  )

const failure = (reason: string, cause?: string): unknown => ({
  kind: 'failed',
  reason,
  ...(cause && { cause }),
  durationMs: expect.any(Number),
})

/** Writes these bytes instead of a response. */
const raw =
  (bytes: string, after: 'keep open' | 'destroy' = 'keep open'): Behaviour =>
  ({ socket }) =>
    socket.write(bytes, () => after === 'destroy' && socket.destroy())

describe('a request', () => {
  it('is one POST of exactly the given bytes, with their length and only the necessary headers', async () => {
    const outcome = await send(transportWith())

    expect(outcome).toEqual({
      kind: 'response',
      status: 200,
      retryAfter: undefined,
      date: expect.stringMatching(/ GMT$/),
      body: 'ok',
      truncated: false,
      durationMs: expect.any(Number),
    })
    expect(target.received.at(-1)).toEqual({
      url: '/hook?a=1',
      body: '{"é":1}',
      rawHeaders: [
        ...['content-type', 'application/json', 'content-length', '8'],
        ...['Host', `${TARGET_HOST}:${target.port}`, 'Connection', 'keep-alive'],
      ],
    })
  })

  it('goes to an allowed IP literal without a lookup', async () => {
    const asked: string[] = []
    const transport = transportWith({
      resolve: async (name) => {
        asked.push(name)
        return ['127.0.0.1']
      },
    })
    expect(await send(transport, `https://127.0.0.1:${target.port}/`)).toMatchObject({ status: 200 })
    expect(asked).toEqual([])
  })

  it('does not go through a proxy from the environment', async () => {
    for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, 'http://127.0.0.1:1')
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    try {
      expect(await send(transportWith())).toMatchObject({ status: 200 })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is rejected if one of its headers is invalid', async () => {
    const request = { url: target.url, headers: { 'x-bad': 'a\nb' }, body: new Uint8Array() }
    await expect(transportWith().send(request)).rejects.toThrow(TypeError)
  })
})

describe('the transport', () => {
  it.each([
    ['an address outside the policy', ['10.0.0.1']],
    ['a mixed answer, the good address first', ['127.0.0.1', '10.0.0.1']],
    ['a mixed answer, the good address last', ['169.254.169.254', '127.0.0.1']],
    ['an address that does not parse', ['127.0.0.1', 'fe80::1%eth0']],
  ])('refuses %s without connecting', async (_what, answer) => {
    const before = target.connections()
    expect(await send(transportWith({ resolve: async () => answer }))).toEqual(failure('blocked'))
    expect(target.connections()).toBe(before)
  })

  it('refuses a URL that the policy does not allow, without a lookup', async () => {
    const transport = transportWith({ resolve: () => Promise.reject(new Error('asked')) })
    for (const url of ['https://10.0.0.1/', 'https://localhost/', `http://${TARGET_HOST}/`, 'not a url']) {
      expect(await send(transport, url)).toEqual(failure('blocked'))
    }
  })

  it('looks up a name once per connection, and connects to the address that the policy allowed', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']]
    const transport = transportWith({ maxIdleSockets: 0, resolve: async () => answers.shift() ?? [] })
    expect(await send(transport)).toMatchObject({ status: 200 })
    expect(await send(transport)).toEqual(failure('blocked'))
    expect(await send(transport)).toMatchObject({ status: 200 })
    expect(answers).toEqual([])
  })

  it('refuses a peer whose address is not the one that the policy allowed', async () => {
    // A connection to 0.0.0.0 reaches loopback, so the peer's address differs from the address that the policy judged.
    const before = target.received.length
    const transport = transportWith({
      addressPolicy: { ...LOOPBACK_POLICY, allowedCidrs: ['0.0.0.0/32'] },
      resolve: async () => ['0.0.0.0'],
    })
    expect(await send(transport)).toEqual(failure('blocked'))
    expect(target.received.length).toBe(before)
  })

  it('tries the next address of a name when one cannot be reached', async () => {
    const transport = transportWith({ resolve: async () => ['127.0.0.2', '127.0.0.3', '127.0.0.1'] })
    expect(await send(transport)).toMatchObject({ status: 200 })
  })

  it('reaches a listed loopback host over plain http, but only on loopback', async () => {
    const server = createServer((_request, response) => response.end('plain'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`
    const addressPolicy = { httpLoopbackHosts: ['localhost'], allowedPorts: 'any' } as const
    expect(await send(transportWith({ addressPolicy }), url)).toMatchObject({ status: 200, body: 'plain' })
    expect(await send(transportWith({ addressPolicy, resolve: async () => ['9.9.9.9'] }), url)).toEqual(
      failure('blocked'),
    )
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('returns a redirect as a response', async () => {
    const before = target.received.length
    target.behave((_request, response) =>
      response.writeHead(307, { location: `https://127.0.0.1:${target.port}/` }).end(),
    )
    expect(await send(transportWith())).toMatchObject({ status: 307 })
    expect(target.received.length).toBe(before + 1)
  })
})

describe('a lookup or a connection that fails', () => {
  it('is reported as dns when the name has no address, the lookup fails, or no name server answers', async () => {
    expect(await send(transportWith({ resolve: async () => [] }))).toEqual(failure('dns'))
    expect(await send(transportWith({ resolve: () => Promise.reject(new Error('SERVFAIL')) }))).toEqual(failure('dns'))
    const silent = { lookupTimeoutMs: 50, resolve: () => new Promise<string[]>(() => undefined) }
    expect(await send(transportWith(silent))).toEqual(failure('dns', 'silence'))
  })

  it('names this machine’s name servers as the cause if nothing listens at their address', async () => {
    const resolve = createDnsResolver({ servers: ['127.0.0.1:1'] })
    expect(await send(transportWith({ resolve }))).toEqual(failure('dns', 'resolver'))
  })

  it('names the resources of this process as the cause if it has no file descriptor left', async () => {
    const script = fileURLToPath(new URL('../../test/out-of-descriptors.ts', import.meta.url))
    const url = `https://127.0.0.1:${target.port}/`
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      'ulimit -n 64; exec "$0" "$@"',
      process.execPath,
      script,
      url,
    ])
    expect(JSON.parse(stdout)).toEqual(failure('connect', 'resources'))
  })

  it.each([
    ['EMFILE', '127.0.0.1', 'resources'],
    ['ENOBUFS', '127.0.0.1', 'resources'],
    ['EADDRNOTAVAIL', '127.0.0.1', 'resources'],
    ['EADDRNOTAVAIL', '::1', 'silence'],
    ['ENETUNREACH', '127.0.0.1', 'silence'],
    ['ECONNREFUSED', '127.0.0.1', undefined],
    [undefined, '127.0.0.1', undefined],
  ])('has with %s at %s the cause %s', (code, address, cause) => {
    expect(causeOfConnecting(Object.assign(new Error(), { code }), address)).toBe(cause)
  })

  it('is told apart from a lack of memory', () => {
    const thrownBy = (act: () => unknown): unknown => {
      try {
        return act()
      } catch (error) {
        return error
      }
    }
    expect(isOutOfMemory(thrownBy(() => new ArrayBuffer(2 ** 52)))).toBe(true)
    const endless = (): unknown => [endless()]
    expect(isOutOfMemory(thrownBy(endless))).toBe(false)
  })

  it('aborts the resolver when the lookup times out', async () => {
    const told = await new Promise((resolve) => {
      const transport = transportWith({
        lookupTimeoutMs: 50,
        resolve: (_name, { signal }) => {
          signal.addEventListener('abort', () => resolve(true))
          return new Promise(() => undefined)
        },
      })
      void send(transport)
    })
    expect(told).toBe(true)
  })

  it('is reported as connect when nothing listens', async () => {
    const listener = await createSilentListener()
    await listener.close()
    expect(await send(transportWith(), `https://${TARGET_HOST}:${listener.port}/`)).toEqual(failure('connect'))
  })

  it('is reported as tls when the handshake hangs', async () => {
    const listener = await createSilentListener()
    const transport = transportWith({ connectTimeoutMs: 1_000 })
    expect(await send(transport, `https://${TARGET_HOST}:${listener.port}/`)).toEqual(failure('tls'))
    await listener.close()
  })

  it('says that a certificate is self-signed, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const before = target.received.length
    expect(await send(transportWith({ extraCaCertificates: [] }))).toEqual(failure('certificate_self_signed'))
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      expect(await send(transportWith({ extraCaCertificates: [] }))).toEqual(failure('certificate_self_signed'))
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
    expect(target.received.length).toBe(before)
  })

  it('says that a certificate names another host', async () => {
    expect(await send(transportWith(), `https://other.test:${target.port}/`)).toEqual(failure('certificate_name'))
  })
})

describe('a target that misbehaves', () => {
  it('times out and has its connection closed when it stays silent', async () => {
    target.behave(() => undefined)
    expect(await send(transportWith({ deadlineMs: 1_000 }))).toEqual(failure('timeout'))
    await target.idle()
  })

  it('times out when it drips its headers', async () => {
    target.behave(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('a: b\r\n'), 10)
      socket.once('close', () => clearInterval(drip))
    })
    expect(await send(transportWith({ deadlineMs: 1_000 }))).toEqual(failure('timeout'))
    await target.idle()
  })

  it('still counts as having answered when it drips only its body past the deadline', async () => {
    target.behave(({ socket }, response) => {
      response.writeHead(200)
      response.write('.')
      const drip = setInterval(() => response.write('.'), 10)
      socket.once('close', () => clearInterval(drip))
    })
    const outcome = await send(transportWith({ deadlineMs: 3_000 }))
    expect(outcome).toMatchObject({ status: 200, truncated: true, body: expect.stringMatching(/^\.+$/) })
    await target.idle()
  })

  it('sends an endless body, which is cut off at 16 KiB', async () => {
    target.behave((_request, response) => {
      response.writeHead(200)
      const more = (): void => {
        while (!response.destroyed && response.write('é'.repeat(8_000)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    const outcome = await send(transportWith())
    expect(outcome).toMatchObject({ status: 200, truncated: true, body: 'é'.repeat(8_192) })
    await target.idle()
  })

  it('sends a body of exactly 16 KiB, which is kept in full', async () => {
    target.behave((_request, response) => response.end('a'.repeat(16_384)))
    expect(await send(transportWith())).toMatchObject({ truncated: false, body: 'a'.repeat(16_384) })
  })

  it.each([
    [200, 'a success'],
    [410, 'gone'],
    [500, 'an error'],
  ])('is reported with its status %i (%s), even if its body breaks off', async (status) => {
    target.behave(raw(`HTTP/1.1 ${status} X\r\ncontent-length: 9\r\n\r\npart`, 'destroy'))
    expect(await send(transportWith())).toMatchObject({ status, truncated: true, body: 'part' })
  })

  it.each([
    ['before any byte', ''],
    ['in the middle of its headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
  ])('is reported as reset when it closes %s', async (_when, bytes) => {
    target.behave(bytes === '' ? ({ socket }) => socket.destroy() : raw(bytes, 'destroy'))
    expect(await send(transportWith())).toEqual(failure('reset'))
  })

  it.each([
    ['a 101', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['a status above 599', 'HTTP/1.1 700 X\r\ncontent-length: 0\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n'],
    ['something other than HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('is reported as protocol for %s', async (_what, bytes) => {
    target.behave(raw(bytes))
    expect(await send(transportWith())).toEqual(failure('protocol'))
    await target.idle()
  })

  it.each([
    ['one header', `a: ${'x'.repeat(16_400)}\r\n`],
    ['many headers', `a: ${'x'.repeat(996)}\r\n`.repeat(17)],
  ])('is reported as headers for more than 16 KiB in %s', async (_what, headers) => {
    target.behave(raw(`HTTP/1.1 200 OK\r\n${headers}\r\n`))
    expect(await send(transportWith())).toEqual(failure('headers'))
    await target.idle()
  })

  it('counts as having answered when it sends junk after a 204, but its connection is not reused', async () => {
    const transport = transportWith()
    target.behave(raw('HTTP/1.1 204 No Content\r\n\r\nHTTP/9 junk'))
    expect(await send(transport)).toMatchObject({ status: 204, body: '' })
    await target.idle()
    target.behave((_request, response) => response.end('well'))
    expect(await send(transport)).toMatchObject({ status: 200, body: 'well' })
  })

  it('may send informational responses before the final response', async () => {
    target.behave(
      raw(`${'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(3)}HTTP/1.1 202 OK\r\ncontent-length: 2\r\n\r\nok`),
    )
    expect(await send(transportWith())).toMatchObject({ status: 202, body: 'ok', truncated: false })
  })

  it('is cut off after 128 KiB in total, even if it sends only interim responses', async () => {
    target.behave(({ socket }) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(100)));
        if (!socket.destroyed) socket.once('drain', more)
      }
      more()
    })
    expect(await send(transportWith())).toEqual(failure('protocol'))
    await target.idle()
  })

  it.each([
    ['gzip', 'compressed (gzip)'],
    ['x-gzip', 'compressed (gzip)'],
    ['BR', 'compressed (br)'],
    ['deflate', 'compressed (deflate)'],
    ['zstd', 'compressed (zstd)'],
    ['identity, gzip', 'compressed (gzip)'],
    ['identity', 'bytes'],
    ['utf-8', 'bytes'],
    ['broken', 'bytes'],
  ])('sends a body with the content encoding %s, which is kept as “%s”', async (coding, kept) => {
    target.behave((_request, response) => response.writeHead(200, { 'content-encoding': coding }).end('bytes'))
    expect(await send(transportWith())).toMatchObject({ status: 200, body: kept, truncated: false })
  })

  it('sends the headers of a compressed body without the body, which is kept as an empty text', async () => {
    target.behave((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end())
    expect(await send(transportWith())).toMatchObject({ status: 200, body: '' })
  })

  it('sends retry-after and date headers, which are passed on unchanged', async () => {
    target.behave((_request, response) => response.writeHead(503, { 'retry-after': '120', date: 'then' }).end())
    expect(await send(transportWith())).toMatchObject({ status: 503, retryAfter: '120', date: 'then' })
  })

  it('sends invalid bytes, which are kept as text that a database accepts', async () => {
    target.behave((_request, response) => response.end(Buffer.from([0x61, 0, 0xff, 0xc3, 0xa9])))
    expect(await send(transportWith())).toMatchObject({ body: 'a\ufffd\ufffdé' })
  })
})

describe('open connections', () => {
  it('are reused for later requests', async () => {
    const transport = transportWith()
    const before = target.connections()
    for (let count = 0; count < 5; count += 1) expect(await send(transport)).toMatchObject({ status: 200 })
    expect(target.connections()).toBe(before + 1)
  })

  it('are not shared between transports, so a transport with another policy cannot reuse them', async () => {
    const before = target.connections()
    await send(transportWith())
    await send(transportWith())
    expect(target.connections()).toBe(before + 2)
    expect(await send(transportWith({ addressPolicy: { allowedPorts: 'any' } }))).toEqual(failure('blocked'))
  })

  it.each<[string, HttpsTransportOptions]>([
    ['no connection may be idle', { maxIdleSockets: 0 }],
    [
      'they are too old',
      {
        socketLifeMs: 0,
        now: (() => {
          let time = 0
          return () => (time += 1)
        })(),
      },
    ],
  ])('are closed when %s', async (_why, options) => {
    const transport = transportWith(options)
    const before = target.connections()
    await send(transport)
    await send(transport)
    expect(target.connections()).toBe(before + 2)
    await target.idle()
  })

  it('are closed when they have been idle for too long', async () => {
    await send(transportWith({ idleSocketMs: 20 }))
    await target.idle()
  })

  it('are closed, least recently used first, when too many are idle over all hosts together', async () => {
    const transport = transportWith({ maxIdleSockets: 1 })
    const before = target.connections()
    const literal = `https://127.0.0.1:${target.port}/`
    await send(transport)
    await send(transport, literal)
    await send(transport, literal)
    expect(target.connections()).toBe(before + 2)
    await send(transport)
    expect(target.connections()).toBe(before + 3)
  })

  it('are not waited for when the target is slow', async () => {
    const transport = transportWith()
    const before = target.connections()
    const both = new Promise<void>((resolve) => {
      const held: (() => void)[] = []
      target.behave((_request, response) => {
        held.push(() => response.end())
        if (held.length < 2) return
        for (const release of held) release()
        resolve()
      })
    })
    const outcomes = await Promise.all([send(transport), send(transport), both])
    expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }, undefined])
    expect(target.connections()).toBe(before + 2)
  })

  it('stay open for every subscription that a worker serves at once, even if all are at one host', async () => {
    const transport = transportWith()
    const before = target.connections()
    let held: (() => void)[] = []
    target.behave((_request, response) => {
      held.push(() => response.end())
      if (held.length < 64) return
      for (const release of held) release()
      held = []
    })
    for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 64 }, () => send(transport)))
    expect(target.connections() - before).toBe(64)
  })

  it('are shared by all requests of a burst, however many there are', async () => {
    const transport = transportWith()
    await send(transport)
    const before = target.connections()
    await Promise.all(Array.from({ length: 100 }, () => send(transport)))
    expect(target.connections() - before).toBeLessThan(50)
  })

  it('are waited for while the process is too busy for more handshakes', async () => {
    const transport = transportWith()
    await send(transport)
    const before = target.connections()
    // Longer than a request would wait if the process were not busy.
    target.behave((_request, response) => void setTimeout(() => response.end(), 60))
    let busy = true
    const spin = (): void => void (busy && setImmediate(spin))
    spin()
    const outcomes = await Promise.all([send(transport), send(transport)])
    busy = false
    expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(target.connections()).toBe(before)
  })

  it('are waited for while the pool is full and they keep becoming free', async () => {
    const transport = transportWith({ maxIdleSockets: 1 })
    await send(transport)
    const before = target.connections()
    await Promise.all(Array.from({ length: 300 }, () => send(transport)))
    expect(target.connections() - before).toBeLessThan(150)
  })

  it.each([
    ['allows too little idle time', 'keep-alive: timeout=1'],
    ['says close', 'connection: keep-alive, Close'],
  ])('are closed when the target %s', async (_what, header) => {
    target.behave(raw(`HTTP/1.1 200 OK\r\n${header}\r\ncontent-length: 0\r\n\r\n`))
    expect(await send(transportWith())).toMatchObject({ status: 200 })
    await target.idle()
  })

  it('do not cause a repeat if they end after the target has begun to answer', async () => {
    const transport = transportWith()
    await send(transport)
    const received = target.received.length
    target.behave(raw('HTTP/1.1 20', 'destroy'))
    expect(await send(transport)).toEqual(failure('reset'))
    expect(target.received.length).toBe(received + 1)
  })

  it('are replaced if the target has closed them: the request is sent again on a new connection', async () => {
    const transport = transportWith()
    await send(transport)
    const [connections, received] = [target.connections(), target.received.length]
    target.behave(({ socket }) => {
      target.behave((_request, response) => response.end('second'))
      socket.destroy()
    })
    expect(await send(transport)).toMatchObject({ status: 200, body: 'second' })
    expect([target.connections(), target.received.length]).toEqual([connections + 1, received + 2])
  })

  it('cause only one repeat of a request if they are reset', async () => {
    const transport = transportWith()
    await send(transport)
    const received = target.received.length
    target.behave(({ socket }) => socket.destroy())
    expect(await send(transport)).toEqual(failure('reset'))
    expect(target.received.length).toBe(received + 2)
  })

  it('do not cause a repeat if they are reset late, when the target may have processed the request', async () => {
    let time = 0
    const transport = transportWith({ now: () => time })
    await send(transport)
    const received = target.received.length
    target.behave(({ socket }) => {
      time += 1_001
      socket.destroy()
    })
    expect(await send(transport)).toEqual(failure('reset'))
    expect(target.received.length).toBe(received + 1)
  })
})

describe('a transport that is told to stop', () => {
  it('ends an attempt as aborted, during the lookup or while waiting for the target', async () => {
    const during = new AbortController()
    target.behave(() => during.abort())
    expect(await send(transportWith(), target.url, during.signal)).toEqual(failure('aborted'))
    await target.idle()

    const lookup = new AbortController()
    const transport = transportWith({
      resolve: () => {
        lookup.abort()
        return new Promise(() => undefined)
      },
    })
    expect(await send(transport, target.url, lookup.signal)).toEqual(failure('aborted'))
  })

  it('ends all attempts of an aborted signal and no others, even if attempts have begun and ended before', async () => {
    const transport = transportWith({ resolve: () => new Promise(() => undefined) })
    const [first, fourth, shared, other] = [
      new AbortController(),
      new AbortController(),
      new AbortController(),
      new AbortController(),
    ]
    const begin = ({ signal }: AbortController): Promise<TransportOutcome> => send(transport, target.url, signal)
    const [a, b, c, d] = [begin(first), begin(shared), begin(shared), begin(fourth)]
    first.abort()
    expect(await a).toEqual(failure('aborted'))
    const [e, f, g] = [begin(shared), begin(shared), begin(other)]
    fourth.abort()
    expect(await d).toEqual(failure('aborted'))

    let hasEnded = false
    const last = g.finally(() => {
      hasEnded = true
    })
    shared.abort()
    expect(await Promise.all([b, c, e, f])).toEqual(Array(4).fill(failure('aborted')))
    expect(hasEnded).toBe(false)
    await transport.close()
    expect(await last).toEqual(failure('aborted'))
  })

  it('sends nothing for a signal that has already aborted', async () => {
    const received = target.received.length
    expect(await send(transportWith(), target.url, AbortSignal.abort())).toEqual(failure('aborted'))
    expect(target.received.length).toBe(received)
  })

  it('still returns a response whose headers have arrived', async () => {
    const controller = new AbortController()
    const begun = new Promise<void>((resolve) => {
      target.behave((_request, response) => {
        response.writeHead(200)
        response.write('begun', () => resolve())
      })
    })
    const outcome = send(transportWith(), target.url, controller.signal)
    await begun
    // By the time another complete exchange, including a handshake, has ended, the bytes above have certainly been
    // read.
    target.behave((_request, response) => response.end())
    await send(transportWith())
    controller.abort()
    expect(await outcome).toMatchObject({ status: 200, body: 'begun', truncated: true })
  })

  it('ends requests in flight as aborted on close, and sends nothing afterwards', async () => {
    const transport = transportWith()
    target.behave(() => transport.close())
    expect(await send(transport)).toEqual(failure('aborted'))
    expect(await send(transport)).toEqual(failure('aborted'))
    await target.idle()
  })
})

describe('a request that is late', () => {
  const headers = {}
  const body = new TextEncoder().encode('{}')

  it('is not sent if its deadline has passed, even if the timer of the deadline has not run yet', async () => {
    let time = 0
    const resolve = async (): Promise<readonly string[]> => {
      time = 15_000
      return ['127.0.0.1']
    }
    const connections = target.connections()
    expect(await send(transportWith({ now: () => time, resolve }))).toEqual(failure('timeout'))
    expect(target.connections()).toBe(connections)
  })

  it('is not sent if its lease has already ended, or ends during its lookup', async () => {
    let leaseMs = 0
    const request = { url: target.url, headers, body, leaseLeftMs: () => leaseMs }
    const received = target.received.length
    expect(await transportWith().send(request)).toEqual(failure('aborted'))
    leaseMs = 60_000
    const resolve = async (): Promise<readonly string[]> => {
      leaseMs = 0
      return ['127.0.0.1']
    }
    expect(await transportWith({ resolve }).send(request)).toEqual(failure('aborted'))
    expect(target.received.length).toBe(received)
  })

  it('is not sent if its lease has ended while it waited for a connection', async () => {
    let leaseMs = 60_000
    const request = { url: target.url, headers, body, leaseLeftMs: () => leaseMs }
    const transport = transportWith()
    await send(transport)
    const received = target.received.length
    target.behave((_request, response) => {
      leaseMs = 0
      response.end()
    })
    const [first, second] = [send(transport), transport.send(request)]
    expect(await first).toMatchObject({ status: 200 })
    expect(await second).toEqual(failure('aborted'))
    expect(target.received.length).toBe(received + 1)
    leaseMs = 60_000
    expect(await transport.send(request)).toMatchObject({ status: 200 })
  })

  it('is aborted when its lease ends before its deadline', async () => {
    const leaseEnd = performance.now() + 300
    const request = { url: target.url, headers, body, leaseLeftMs: () => leaseEnd - performance.now() }
    const resolve = (): Promise<never> => new Promise(() => undefined)
    expect(await transportWith({ resolve }).send(request)).toEqual(failure('aborted'))
  })

  it('is not written any further once its lease has ended', async () => {
    const chest = await fillCertificateChest()
    let leaseMs = 60_000
    let bytes = 0
    const act: Misbehaviour['act'] = ({ socket }) =>
      void socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        leaseMs = 0
      })
    const reader = await startHostileServer({ from: 'tls', act }, chest.of.good)
    const transport = transportWith({ extraCaCertificates: [chest.ca] })
    const large = new Uint8Array(64 * 1024 * 1024)
    const url = `https://${TARGET_HOST}:${reader.port}/`
    const outcome = await transport.send({ url, headers, body: large, leaseLeftMs: () => leaseMs })
    expect(outcome).toEqual(failure('aborted'))
    await reader.openAtMost(0)
    expect(bytes).toBeLessThan(large.length)
    await reader.stop()
  })
})

it.each<[string, HttpsTransportOptions]>([
  ['deadlineMs', { deadlineMs: 30_001 }],
  ['deadlineMs', { deadlineMs: 0 }],
  ['deadlineMs', { deadlineMs: Number.NaN }],
  ['lookupTimeoutMs', { lookupTimeoutMs: -1 }],
  ['connectTimeoutMs', { connectTimeoutMs: 1.5 }],
  ['extraCaCertificates', { extraCaCertificates: ['-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----'] }],
  ['addressPolicy.allowedCidrs[0]', { addressPolicy: { allowedCidrs: ['loopback'] } }],
])('refuses an invalid %s', (option, options) => {
  expect(() => createHttpsTransport(options)).toThrow(
    expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(option) }),
  )
})
