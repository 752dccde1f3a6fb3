import type { Duplex } from 'node:stream'
import { type ProxyBehaviour, startProxy, type TestProxy } from '@callboard/testbed'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLoopbackTarget, LOOPBACK_POLICY, type LoopbackTarget, TARGET_HOST } from '../../test/loopback-target.ts'
import { readWorkerOptions } from '../worker/worker-options.ts'
import type { EgressProxy } from './egress-proxy.ts'
import { createHttpsTransport, type HttpsTransportOptions } from './https-transport.ts'
import type { Transport, TransportOutcome } from './transport.ts'
import { proveTunnelling } from './tunnel-canary.ts'

const AUTHORIZATION = 'Basic Y2FsbGJvYXJkOnZlcnktc2VjcmV0'

let target: LoopbackTarget
let proxy: TestProxy
let secureProxy: TestProxy
const open: Transport[] = []

beforeAll(async () => {
  target = await createLoopbackTarget()
  proxy = await startProxy()
  secureProxy = await startProxy({ tls: true })
})
beforeEach(() => {
  target.behave((_request, response) => response.end('ok'))
  proxy.behave()
})
afterEach(async () => {
  for (const transport of open.splice(0)) await transport.close()
})
afterAll(() => Promise.all([target.close(), proxy.stop(), secureProxy.stop()]))

function transportWith(options: HttpsTransportOptions = {}, egressProxy: EgressProxy = { url: proxy.url }): Transport {
  const transport = createHttpsTransport({
    addressPolicy: LOOPBACK_POLICY,
    extraCaCertificates: [target.ca, secureProxy.ca],
    resolve: () => Promise.reject(new Error('looked up')),
    egressProxy,
    ...options,
  })
  open.push(transport)
  return transport
}

const send = (transport: Transport, url = target.url): Promise<TransportOutcome> =>
  transport.send({ url, headers: { 'x-own': '1' }, body: new TextEncoder().encode('hello') })

const failure = (reason: string, cause?: string): unknown => ({
  kind: 'failed',
  reason,
  ...(cause && { cause }),
  durationMs: expect.any(Number),
})

describe('with an egress proxy, a request', () => {
  it('goes through the proxy to the target’s name, which only the proxy looks up', async () => {
    expect(await send(transportWith())).toMatchObject({ status: 200, body: 'ok' })
    expect(proxy.log.at(-1)).toEqual({
      authority: `${TARGET_HOST}:${target.port}`,
      headers: { host: `${TARGET_HOST}:${target.port}` },
    })
    expect(target.received.at(-1)).toMatchObject({ url: '/hook?a=1', body: 'hello' })
  })

  it('goes through a proxy that itself speaks TLS', async () => {
    expect(await send(transportWith({}, { url: secureProxy.url }))).toMatchObject({ status: 200 })
    expect(secureProxy.log.at(-1)?.authority).toBe(`${TARGET_HOST}:${target.port}`)
  })

  it('carries the authorization to the proxy, but not to the target', async () => {
    expect(await send(transportWith({}, { url: proxy.url, authorization: AUTHORIZATION }))).toMatchObject({
      status: 200,
    })
    expect(proxy.log.at(-1)?.headers['proxy-authorization']).toBe(AUTHORIZATION)
    expect(JSON.stringify(target.received.at(-1))).not.toMatch(/authorization|Basic/i)
  })

  it('reuses a tunnel for the same target, and closes it with the transport', async () => {
    const transport = transportWith()
    const [tunnels, connections] = [proxy.log.length, target.connections()]
    for (let count = 0; count < 3; count += 1) expect(await send(transport)).toMatchObject({ status: 200 })
    expect([proxy.log.length, target.connections()]).toEqual([tunnels + 1, connections + 1])
    await transport.close()
    await Promise.all([proxy.idle(), target.idle()])
  })

  it('is sent a second time when a kept tunnel is reset, but not when a new tunnel is reset', async () => {
    const transport = transportWith()
    const received = target.received.length
    target.behave(({ socket }) => socket.destroy())
    expect(await send(transport)).toEqual(failure('reset'))
    expect(target.received.length).toBe(received + 1)
    target.behave((_request, response) => response.end('ok'))
    await send(transport)
    target.behave(({ socket }) => {
      target.behave((_request, response) => response.end('second'))
      socket.destroy()
    })
    expect(await send(transport)).toMatchObject({ status: 200, body: 'second' })
  })

  it('never reaches the proxy if the policy refuses the IP literal, name or port in its URL', async () => {
    const asked = proxy.log.length
    const addressPolicy = { allowedCidrs: ['127.0.0.1/32'], refusedHostNames: ['app.example.com'] }
    for (const url of [
      ...['https://10.0.0.1/', 'https://[::1]/', 'https://0x7f.2/', 'https://8.8.8.8/', 'https://localhost/'],
      ...[
        'https://metadata.google.internal/',
        'https://app.example.com/',
        'https://hooks.example.com:22/',
        'http://hooks.example.com/',
      ],
    ])
      expect(await send(transportWith({ addressPolicy }), url), url).toEqual(failure('blocked'))
    expect(proxy.log.length).toBe(asked)
  })

  it('goes through the proxy to an allowed IP literal, which the certificate must name', async () => {
    expect(await send(transportWith(), `https://127.0.0.1:${target.port}/`)).toMatchObject({ status: 200 })
    expect(proxy.log.at(-1)?.authority).toBe(`127.0.0.1:${target.port}`)
    proxy.behave(target.port)
    expect(await send(transportWith(), `https://127.0.0.2:${target.port}/`)).toEqual(failure('certificate_name'))
  })
})

describe('an attempt through an egress proxy', () => {
  it.each([403, 407])('is blocked if the proxy refuses the target with %i', async (status) => {
    proxy.behave((socket) => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 4\r\n\r\nno!\n`))
    const received = target.received.length
    expect(await send(transportWith())).toEqual(failure('blocked'))
    expect(target.received.length).toBe(received)
    await proxy.idle()
  })

  const raw = (bytes: string) => (socket: Duplex) => void socket.write(bytes)
  it.each<[string, ProxyBehaviour]>([
    ['cannot reach the target (502)', raw('HTTP/1.1 502 Bad gateway\r\n\r\n')],
    ['times out waiting for the target (504)', raw('HTTP/1.1 504 Gateway time-out\r\n\r\n')],
    ['redirects', raw('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n')],
    ['switches protocols', raw('HTTP/1.1 101 Switching protocols\r\n\r\n')],
    ['hangs up', (socket) => socket.destroy()],
    ['hangs up in the middle of its answer', (socket) => void socket.write('HTTP/1.1 200', () => socket.destroy())],
    ['does not speak HTTP', raw('220 mail.example.com ESMTP\r\n\r\n')],
    ['never ends its answer', raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`)],
    ['answers in place of the target', raw('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')],
    ['cannot be connected to', (socket) => socket.destroy()],
  ])('fails as connect if the proxy %s', async (what, behaviour) => {
    proxy.behave(behaviour)
    const isAbsent = what === 'cannot be connected to'
    const egressProxy = isAbsent ? { url: 'http://127.0.0.1:1' } : { url: proxy.url }
    expect(await send(transportWith({}, egressProxy))).toEqual(failure('connect', isAbsent ? 'proxy' : undefined))
    await proxy.idle()
  })

  it.each<[string, string, ProxyBehaviour]>([
    ['says nothing', 'connect', () => undefined],
    [
      'drips its answer',
      'connect',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('a: b\r\n'), 10)
        socket.once('close', () => clearInterval(drip))
      },
    ],
    ['opens a tunnel to nowhere', 'tls', (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n')],
  ])('takes no longer than the connect timeout if the proxy %s', async (_what, reason, behaviour) => {
    proxy.behave(behaviour)
    expect(await send(transportWith({ connectTimeoutMs: 1_500 }))).toEqual(failure(reason))
    await proxy.idle()
  })

  it('ends by its deadline if the proxy stays silent', async () => {
    proxy.behave(() => undefined)
    expect(await send(transportWith({ deadlineMs: 300 }))).toMatchObject({
      reason: expect.stringMatching(/^(connect|timeout)$/),
    })
    await proxy.idle()
  })

  it('fails the certificate check if the proxy connects to another server', async () => {
    const other = await createLoopbackTarget()
    proxy.behave(other.port)
    expect(await send(transportWith())).toEqual(failure('certificate_self_signed'))
    expect(other.received).toEqual([])
    await other.close()
  })

  it('sends nothing to a proxy with an untrusted certificate', async () => {
    const asked = secureProxy.log.length
    const transport = transportWith(
      { extraCaCertificates: [target.ca] },
      { url: secureProxy.url, authorization: AUTHORIZATION },
    )
    expect(await send(transport)).toEqual(failure('connect', 'proxy'))
    expect(secureProxy.log.length).toBe(asked)
  })

  it('is aborted when the transport closes, even if the proxy stays silent', async () => {
    const asked = new Promise<void>((resolve) => proxy.behave(() => resolve()))
    const transport = transportWith()
    const outcome = send(transport)
    await asked
    await transport.close()
    expect(await outcome).toEqual(failure('aborted'))
    await proxy.idle()
  })
})

describe('the option egressProxy', () => {
  it.each<[EgressProxy, RegExp]>([
    [{ url: 'proxy:3128' }, /egressProxy\.url/],
    [{ url: '' }, /egressProxy\.url/],
    [{ url: 'socks5://127.0.0.1:1080' }, /egressProxy\.url/],
    [{ url: 'http://user:very-secret@127.0.0.1:3128' }, /egressProxy\.url/],
    [{ url: 'http://@127.0.0.1:3128' }, /egressProxy\.url/],
    [{ url: 'http://127.0.0.1:3128/path' }, /egressProxy\.url/],
    [{ url: 'http://127.0.0.1:3128/?very-secret' }, /egressProxy\.url/],
    [{ url: 'http://127.0.0.1:3128', authorization: 'Basic very-secret\r\nx: y' }, /egressProxy\.authorization/],
    [{ url: 'http://127.0.0.1:3128', authorization: '' }, /egressProxy\.authorization/],
  ])('refuses %j without quoting it in the error', (egressProxy, message) => {
    const make = () => createHttpsTransport({ egressProxy })
    expect(make).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringMatching(message) }),
    )
    expect(make).not.toThrow(/secret/)
  })

  it('cannot be combined with plain http targets on loopback, because the proxy would use its own loopback', () => {
    const addressPolicy = { httpLoopbackHosts: ['localhost'] }
    expect(() => createHttpsTransport({ addressPolicy, egressProxy: { url: proxy.url } })).toThrow(/cannot be combined/)
  })

  it('cannot be combined with a custom transport, which would ignore it', () => {
    expect(() =>
      readWorkerOptions({ transport: transportWith(), egressProxy: { url: proxy.url } }, 86_400_000),
    ).toThrow(expect.objectContaining({ code: 'CONFIGURATION_INVALID' }))
  })
})

describe('the start of a worker with an egress proxy', () => {
  it('checks that attempts leave only through the proxy', async () => {
    await expect(proveTunnelling()).resolves.toBeUndefined()
  })

  it.each<[string, RegExp, HttpsTransportOptions]>([
    ['bypasses the proxy', /bypassed/, { egressProxy: undefined }],
    ['uses another proxy', /did not reach/, { egressProxy: { url: 'http://127.0.0.1:1' } }],
  ])('fails when the transport %s', async (_what, message, change) => {
    await expect(
      proveTunnelling({ createTransport: (options) => createHttpsTransport({ ...options, ...change }) }),
    ).rejects.toMatchObject({ code: 'PINNING_UNSUPPORTED', message: expect.stringMatching(message) })
  })
})
