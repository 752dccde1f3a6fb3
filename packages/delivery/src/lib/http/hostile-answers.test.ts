import { type DnsAnswer, startDns, type TestDns } from '@callboard/testbed'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLoopbackTarget, LOOPBACK_POLICY, type LoopbackTarget, TARGET_HOST } from '../../test/loopback-target.ts'
import { createDnsResolver } from './dns-resolver.ts'
import { createHttpsTransport, type HttpsTransportOptions } from './https-transport.ts'
import type { Transport, TransportOutcome } from './transport.ts'

// The target's loopback address stands in for a public address: the policy allows all of 127.0.0.0/8 and nothing else.
const GOOD = '127.0.0.1'

/** Addresses that a hostile name server adds to a good answer, or returns instead of a good answer. */
// biome-ignore format: a table
const BAD: readonly string[] = [
  '10.0.0.1', '169.254.169.254', '192.168.1.1', '172.16.0.1', '100.64.0.1', '0.0.0.0', '255.255.255.255', '168.63.129.16',
  '::', '::1', 'fd00::1', 'fd00:ec2::254', 'fe80::1', 'ff02::1', '::127.0.0.1', '::ffff:10.0.0.1', '::ffff:169.254.169.254',
  '64:ff9b::7f00:1', '64:ff9b::808:808', '2002:7f00:1::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:db8::1', '4000::1', '::ffff:0:7f00:1',
]

/** Ways to put a bad address before, among and after good ones. */
const MIXES: readonly [string, (bad: string) => readonly string[]][] = [
  ['alone', (bad) => [bad]],
  ['before a good one', (bad) => [bad, GOOD]],
  ['after a good one', (bad) => [GOOD, bad]],
  ['between good ones', (bad) => [GOOD, '127.0.0.2', bad, '127.0.0.3', '127.0.0.4']],
  ['twice, around a good one', (bad) => [bad, GOOD, bad]],
  ['after a mapped good one', (bad) => ['::ffff:127.0.0.1', bad]],
  [
    'after a thousand good ones',
    (bad) => [...Array.from({ length: 1_000 }, (_, i) => `127.1.${i >> 8}.${i & 255}`), bad],
  ],
]

const HOSTILE = MIXES.flatMap(([how, mix]) => BAD.map((bad) => [bad, how, mix(bad)] as const))

let dns: TestDns
let target: LoopbackTarget
let transport: Transport
let names = 0

const transportWith = (options: HttpsTransportOptions = {}): Transport =>
  createHttpsTransport({
    addressPolicy: LOOPBACK_POLICY,
    extraCaCertificates: [target.ca],
    resolve: createDnsResolver({ servers: [dns.server] }),
    // No connections are kept, so every attempt opens a connection and looks up the name.
    maxIdleSockets: 0,
    ...options,
  })

beforeAll(async () => {
  dns = await startDns()
  target = await createLoopbackTarget()
  transport = transportWith()
})
beforeEach(() => target.behave((_request, response) => response.end('ok')))
afterAll(async () => {
  await transport.close()
  await Promise.all([dns.stop(), target.close()])
})

const send = (name: string, by: Transport = transport): Promise<TransportOutcome> =>
  by.send({ url: `https://${name}:${target.port}/`, headers: {}, body: new Uint8Array() })

const newName = (...answers: readonly DnsAnswer[]): string => {
  const name = `h${++names}.example.test`
  dns.answer(name, ...answers)
  return name
}
const failure = (reason: string, cause?: string): unknown => ({
  kind: 'failed',
  reason,
  ...(cause && { cause }),
  durationMs: expect.any(Number),
})

describe('an attempt to a host name', () => {
  it.each(HOSTILE)('is blocked without a connection if the name server returns %s %s', async (_bad, _how, answer) => {
    const before = target.connections()
    expect(await send(newName(answer))).toEqual(failure('blocked'))
    expect(target.connections()).toBe(before)
  })

  it.each<[string, DnsAnswer]>([
    ['one good address', [GOOD]],
    ['a good one twice', [GOOD, GOOD]],
    ['a good one, mapped', ['::ffff:127.0.0.1']],
    ['both spellings of a good one', ['::ffff:127.0.0.1', GOOD]],
    ['a good one in one family and an error in the other', { A: [GOOD], AAAA: 'SERVFAIL' }],
    ['a good one in one family and no such name in the other', { A: [GOOD], AAAA: 'NXDOMAIN' }],
    ['a good one in one family and silence in the other', { A: [GOOD], AAAA: 'silent' }],
  ])('succeeds if the name server returns %s', async (_what, answer) => {
    dns.answer(TARGET_HOST, answer)
    const fresh = transportWith()
    expect(await send(TARGET_HOST, fresh)).toMatchObject({ status: 200 })
    await fresh.close()
  })

  it.each<[string, DnsAnswer, 'silence' | undefined]>([
    ['no address', [], undefined],
    ['that there is no such name', 'NXDOMAIN', undefined],
    ['that it failed', 'SERVFAIL', 'silence'],
    ['that it refuses', 'REFUSED', 'silence'],
    ['nothing', 'silent', 'silence'],
  ])('fails as dns if the name server answers %s, with the cause of the failure', async (_what, answer, cause) => {
    const fresh = transportWith({ lookupTimeoutMs: 1_000 })
    expect(await send(newName(answer), fresh)).toEqual(failure('dns', cause))
    await fresh.close()
  })

  it('is blocked if one address family has a refused address, whatever the answer for the other family', async () => {
    for (const other of ['SERVFAIL', 'NXDOMAIN', []] as const) {
      expect(await send(newName({ A: ['10.0.0.1'], AAAA: other }))).toEqual(failure('blocked'))
      expect(await send(newName({ A: other, AAAA: ['fd00::1'] }))).toEqual(failure('blocked'))
    }
  })
})

describe('a host name whose addresses change', () => {
  it.each(BAD)('is blocked while %s is one of them', async (bad) => {
    dns.answer(TARGET_HOST, [GOOD], [bad], [GOOD, bad], [GOOD])
    const fresh = transportWith()
    const before = target.connections()
    const outcomes = []
    for (let count = 0; count < 4; count += 1) outcomes.push(await send(TARGET_HOST, fresh))
    expect(outcomes).toMatchObject([{ status: 200 }, { reason: 'blocked' }, { reason: 'blocked' }, { status: 200 }])
    expect(target.connections()).toBe(before + 2)
    await fresh.close()
  })

  it('is looked up once for each attempt, which connects to the address that was checked', async () => {
    dns.answer(TARGET_HOST, [GOOD], ['10.0.0.1'], [GOOD], ['10.0.0.1'], [GOOD], ['10.0.0.1'])
    const fresh = transportWith()
    const kinds = []
    for (let count = 0; count < 6; count += 1) kinds.push((await send(TARGET_HOST, fresh)).kind)
    expect(kinds).toEqual(['response', 'failed', 'response', 'failed', 'response', 'failed'])
    await fresh.close()
  })
})
