import { createSocket, type Socket } from 'node:dgram'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDnsResolver, type ResolveContext } from './dns-resolver.ts'

const V4 = [9, 9, 9, 9]
const V6 = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11]
const A = 1
const AAAA = 28

let server: Socket
let servers: string[]
let silentAsked: () => void = () => undefined

/** A name server whose answer follows from the first label of the name. */
beforeAll(async () => {
  server = createSocket('udp4')
  server.on('message', (query, from) => {
    const labelEnd = 13 + (query[12] ?? 0)
    const label = query.subarray(13, labelEnd).toString()
    let end = 12
    while (query[end]) end += 1 + (query[end] ?? 0)
    const type = query.readUInt16BE(end + 1)
    if (label === 'silent' || (label === 'half' && type === AAAA)) return silentAsked()
    const rcode = label === 'servfail' ? 2 : label === 'unknown' ? 3 : 0
    const has = rcode === 0 && (type === A ? label !== 'six' : label !== 'four' && label !== 'half')
    const data = type === A ? V4 : V6
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | rcode, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(has ? 1 : 0, 6)
    const answer = has ? [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data] : []
    server.send(Buffer.concat([header, query.subarray(12, end + 5), Buffer.from(answer)]), from.port, from.address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  servers = [`127.0.0.1:${server.address().port}`]
})
afterAll(() => void server.close())

const context = (over: Partial<ResolveContext> = {}): ResolveContext => ({
  isListed: false,
  signal: new AbortController().signal,
  ...over,
})

describe('looking up a name that a stranger chose', () => {
  it.each([
    ['both.example.test', ['9.9.9.9', '2606:4700::11']],
    ['four.example.test', ['9.9.9.9']],
    ['six.example.test', ['2606:4700::11']],
  ])('gives every address of %s', async (name, addresses) => {
    expect(await createDnsResolver({ servers })(name, context())).toEqual(addresses)
  })

  it.each(['servfail.example.test', 'unknown.example.test'])('rejects for %s', async (name) => {
    await expect(createDnsResolver({ servers })(name, context())).rejects.toThrow()
  })

  it('gives the family that answers when the other does not', async () => {
    expect(await createDnsResolver({ servers })('half.example.test', context())).toEqual(['9.9.9.9'])
  })

  it('is not held up by names whose servers are silent, and can be called off', async () => {
    const controller = new AbortController()
    const resolve = createDnsResolver({ servers })
    const asked = new Promise<void>((wake) => {
      silentAsked = wake
    })
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

it("looks a name that the platform listed up in this machine's own way", async () => {
  expect(await createDnsResolver({ servers })('localhost', context({ isListed: true }))).toContain('127.0.0.1')
})
