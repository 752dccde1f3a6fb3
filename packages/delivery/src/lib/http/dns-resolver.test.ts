import { startDns, type TestDns } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDnsResolver, type ResolveContext } from './dns-resolver.ts'

let dns: TestDns
let servers: string[]

beforeAll(async () => {
  dns = await startDns()
  servers = [dns.server]
  dns.answer('both.example.test', ['9.9.9.9', '2606:4700::11'])
  dns.answer('four.example.test', ['9.9.9.9'])
  dns.answer('six.example.test', ['2606:4700::11'])
  dns.answer('many.example.test', thousand)
  dns.answer('servfail.example.test', 'SERVFAIL')
  dns.answer('refused.example.test', 'REFUSED')
  dns.answer('unknown.example.test', 'NXDOMAIN')
  dns.answer('silent.example.test', 'silent')
})
afterAll(() => dns.stop())

/** More addresses than fit into one UDP datagram. */
const thousand = Array.from({ length: 1_000 }, (_, index) => `9.9.${index >> 8}.${index & 255}`)

const context = (over: Partial<ResolveContext> = {}): ResolveContext => ({
  isListed: false,
  signal: new AbortController().signal,
  ...over,
})

describe('looking up a name that a customer chose', () => {
  it.each([
    ['both.example.test', ['9.9.9.9', '2606:4700::11']],
    ['four.example.test', ['9.9.9.9']],
    ['six.example.test', ['2606:4700::11']],
    ['many.example.test', thousand],
  ])('returns every address of %s', async (name, addresses) => {
    expect(await createDnsResolver({ servers })(name, context())).toEqual(addresses)
  })

  it.each(['servfail.example.test', 'refused.example.test', 'unknown.example.test'])('rejects for %s', async (name) => {
    await expect(createDnsResolver({ servers })(name, context())).rejects.toThrow()
  })

  it('returns the addresses of one family when the query for the other is not answered', async () => {
    dns.answer('half.example.test', { A: ['9.9.9.9'], AAAA: 'silent' })
    expect(await createDnsResolver({ servers })('half.example.test', context())).toEqual(['9.9.9.9'])
  })

  it('is not delayed by names whose servers are silent, and can be cancelled', async () => {
    const controller = new AbortController()
    const resolve = createDnsResolver({ servers })
    const asked = dns.asked('silent.example.test')
    let pending = 40
    const silent = Array.from({ length: pending }, () =>
      resolve('silent.example.test', context({ signal: controller.signal })).catch(() => {
        pending -= 1
      }),
    )
    await asked
    expect(await resolve('four.example.test', context())).toEqual(['9.9.9.9'])
    expect(pending).toBe(40)
    controller.abort()
    await Promise.all(silent)
    expect(pending).toBe(0)
  })
})

it('uses the operating system’s resolver for a name that the address policy lists', async () => {
  expect(await createDnsResolver({ servers })('localhost', context({ isListed: true }))).toContain('127.0.0.1')
})
