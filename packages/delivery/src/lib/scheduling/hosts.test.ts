import { describe, expect, it } from 'vitest'
import type { RequestEnd } from './host-limit.ts'
import { createHosts, type Hosts, type OpenRequests } from './hosts.ts'

const HOST = 'h.example'
const OK: RequestEnd = { kind: 'good', expectedToFail: false, startedAt: 0, endedAt: 5 }
const FAILED: RequestEnd = { ...OK, kind: 'overload' }

function start({ perHost = 500, addressesOf }: { perHost?: number; addressesOf?: Lookup['addressesOf'] } = {}) {
  let known = 0
  const hosts = createHosts({ perHost, patienceMs: 250, addressesOf, onKnown: () => void known++ })
  return { hosts, known: () => known }
}

/** Opens requests that were sent at the time `at`. */
function send(hosts: Hosts, accountId: string, { requests = 1, at = 0, host = HOST } = {}): OpenRequests {
  const open = hosts.open(accountId, host, requests)
  open.sentAt(at)
  return open
}

/** Lets a host answer requests quickly until its limit has reached `limit`. */
function train(hosts: Hosts, limit: number, host = HOST): void {
  while (hosts.describe(host).limit < limit) {
    const open = send(hosts, 'others', { requests: hosts.describe(host).limit, host })
    open.ended(OK)
    open.closeAllBut(0)
  }
}

interface Lookup {
  readonly addressesOf: (host: string) => Promise<readonly string[]>
}

describe('a host', () => {
  it('that was never tried gets four requests, but only one for each lane', () => {
    const { hosts } = start()
    expect(hosts.describe(HOST)).toEqual({ limit: 4, reason: 'new' })
    const rooms = ['a', 'a', 'b', 'c', 'd'].map((account) => {
      const room = hosts.room(account, HOST)
      if (room > 0) send(hosts, account, { requests: room })
      return room
    })
    // The first account gets another request only while it has fewer open requests than are still free.
    expect(rooms).toEqual([1, 1, 1, 1, 0])
  })

  it('that is quick lets one lane use its whole limit', () => {
    const { hosts } = start()
    train(hosts, 27)
    expect(hosts.describe(HOST)).toEqual({ limit: 27, reason: 'full' })
    send(hosts, 'a', { requests: 20 })
    expect(hosts.room('a', HOST)).toBe(7)
  })

  it('that is not quick gives the first account half of its limit, and the second account half of the rest', () => {
    const { hosts } = start()
    train(hosts, 60)
    send(hosts, 'others').ended({ ...OK, endedAt: 251 })
    const { limit, reason } = hosts.describe(HOST)
    expect(reason).toBe('failing')
    const fill = (account: string): number => {
      let held = 0
      for (let room = hosts.room(account, HOST); room > 0; room = hosts.room(account, HOST)) {
        send(hosts, account, { requests: room })
        held += room
      }
      return held
    }
    const first = fill('a')
    expect(first).toBe(Math.ceil(limit / 2))
    const second = fill('b')
    expect(second).toBe(Math.ceil((limit - first) / 2))
    expect(hosts.room('c', HOST)).toBeGreaterThan(0)
  })

  it('gets no new request while it has at least as many open as its lowered limit allows', () => {
    const { hosts } = start()
    train(hosts, 8)
    const open = send(hosts, 'a', { requests: 8 })
    open.ended(FAILED)
    expect(hosts.describe(HOST)).toEqual({ limit: 7, reason: 'failing' })
    expect(hosts.room('b', HOST)).toBe(0)
    open.ended(undefined)
    expect(hosts.room('b', HOST)).toBe(1)
  })

  it('is busy while it has room for fewer requests than are asked for', () => {
    const { hosts } = start()
    expect(hosts.busy(4)).toEqual([])
    const open = send(hosts, 'a')
    expect(hosts.busy(4)).toEqual([HOST])
    expect(hosts.busy(3)).toEqual([])
    open.closeAllBut(0)
    expect(hosts.busy(4)).toEqual([])
  })

  it('is remembered even if lanes for 20,000 other hosts wait without sending', () => {
    const { hosts } = start()
    train(hosts, 8)
    for (let n = 0; n < 20_000; n++) hosts.room('flood', `h${n}.example`)
    expect(hosts.describe(HOST)).toEqual({ limit: 8, reason: 'full' })
  })

  it('is forgotten after requests to 10,000 other hosts, unless it has open requests', () => {
    const { hosts } = start()
    train(hosts, 8)
    train(hosts, 8, 'open.example')
    const open = send(hosts, 'a', { host: 'open.example' })
    for (let n = 0; n < 10_000; n++) send(hosts, 'b', { host: `h${n}.example` }).ended(OK)
    expect(hosts.describe(HOST).reason).toBe('new')
    expect(hosts.describe('open.example').limit).toBe(8)
    open.closeAllBut(0)
    expect(hosts.busy(4)).toEqual([])
  })
})

describe('the limits of hosts', () => {
  it('are told to other workers if they are above 16, the 50 highest ones', () => {
    const { hosts } = start()
    for (let n = 0; n < 60; n++) train(hosts, n < 4 ? 10 + n : 20 + n, `h${n}.example`)
    const limits = hosts.limits()
    expect(limits).toHaveLength(50)
    expect(limits[0]).toEqual(['h59.example', hosts.describe('h59.example').limit])
    for (const [, limit] of limits) expect(limit).toBeGreaterThan(16)
  })

  it('begin at half of what another worker has learnt, without a lookup, unless this worker knows the host', () => {
    const { hosts } = start({ addressesOf: () => Promise.reject(new Error('looked up')) })
    train(hosts, 20, 'known.example')
    const { limit } = hosts.describe('known.example')
    hosts.learn([
      [HOST, 90],
      [HOST, 60],
      ['known.example', 400],
    ])
    expect(hosts.describe('known.example').limit).toBe(limit)
    // One account may open half of the requests to a host that is not known to be quick, and one lane half of these.
    expect(hosts.room('a', HOST)).toBe(12)
    expect(hosts.describe(HOST)).toEqual({ limit: 45, reason: 'new' })
  })
})

describe('requests that are late', () => {
  it('do not reduce the count of newer requests when they end after the worker forgot their host', () => {
    const { hosts } = start()
    const late = send(hosts, 'a')
    late.isLate()
    send(hosts, 'b', { at: 300 }).ended({ ...OK, startedAt: 300, endedAt: 305 })
    for (let n = 0; n < 10_000; n++) send(hosts, 'b', { host: `h${n}.example` }).ended(OK)
    for (let n = 0; n < 4; n++) send(hosts, 'b', { at: 400 })
    late.ended({ ...FAILED, endedAt: 15_000 })
    expect(hosts.busy(1)).toEqual([HOST])
  })

  it('make their host slow', () => {
    const { hosts } = start()
    train(hosts, 8)
    expect(hosts.isQuick(HOST)).toBe(true)
    send(hosts, 'a').isLate()
    expect(hosts.isQuick(HOST)).toBe(false)
  })

  it('let one request at a time find out whether the host answers others', () => {
    const { hosts } = start()
    const all = [1, 2, 3, 4].map(() => send(hosts, 'a'))
    expect(hosts.room('b', HOST)).toBe(0)
    for (const late of all.slice(1)) late.isLate()
    expect(hosts.room('b', HOST)).toBe(0)
    all[0]!.isLate()
    expect(hosts.room('b', HOST)).toBe(1)
    const finding = send(hosts, 'b', { at: 1 })
    expect(hosts.room('c', HOST)).toBe(0)
    finding.isLate()
    expect(hosts.room('c', HOST)).toBe(1)
  })

  it('are at most twice as many as the limit of their host', () => {
    const { hosts } = start()
    for (let n = 0; n < 8; n++) {
      expect(hosts.room(`a${n}`, HOST)).toBe(1)
      send(hosts, `a${n}`).isLate()
    }
    expect(hosts.room('b', HOST)).toBe(0)
  })

  it('are set aside when the host answers a later request', () => {
    const { hosts } = start()
    const late = [1, 2, 3, 4].map(() => send(hosts, 'a', { at: 10 }))
    for (const each of late) each.isLate()
    const finding = send(hosts, 'b', { at: 300 })
    finding.ended({ ...OK, startedAt: 300, endedAt: 305 })
    expect(hosts.busy(4)).toEqual([])
    expect(hosts.isQuick(HOST)).toBe(true)
    // The counts do not change when these requests end.
    for (const each of late) each.ended({ ...FAILED, startedAt: 10, endedAt: 15_010 })
    expect(hosts.busy(1)).toEqual([])
    expect(hosts.room('c', HOST)).toBeGreaterThan(0)
  })

  it('are not set aside when the host answers an earlier request', () => {
    const { hosts } = start()
    const earlier = send(hosts, 'b', { at: 0 })
    for (let n = 0; n < 3; n++) send(hosts, 'a', { at: 10 }).isLate()
    earlier.ended({ ...OK, endedAt: 300 })
    expect(hosts.busy(1)).toEqual([])
    expect(hosts.busy(2)).toEqual([HOST])
  })

  it('are not set aside when a later request fails', () => {
    const { hosts } = start()
    for (let n = 0; n < 4; n++) send(hosts, 'a').isLate()
    send(hosts, 'b', { at: 300 }).ended({ ...FAILED, startedAt: 300, endedAt: 305 })
    expect(hosts.busy(1)).toEqual([HOST])
  })

  it('are subtracted from the open requests only once, even if the answer to one of them sets aside the others', () => {
    const { hosts } = start()
    train(hosts, 8)
    const open = send(hosts, 'a', { requests: 3 })
    open.isLate()
    open.ended({ ...OK, startedAt: 1, endedAt: 300 })
    open.closeAllBut(0)
    expect(hosts.busy(hosts.describe(HOST).limit)).toEqual([])
    expect(hosts.busy(Number.POSITIVE_INFINITY)).toEqual([])
  })
})

describe('names that were never tried', () => {
  const aliases: Lookup = { addressesOf: async () => ['192.0.2.1'] }
  const lookedUp = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('are looked up before the first request', async () => {
    const { hosts, known } = start(aliases)
    expect(hosts.room('a', HOST)).toBe(0)
    expect(known()).toBe(0)
    await lookedUp()
    expect(known()).toBe(1)
    expect(hosts.room('a', HOST)).toBe(1)
  })

  it('are looked up once, with at most half of the parallel lookups for one account', async () => {
    const asked: string[] = []
    const { hosts } = start({
      addressesOf: async (host) => {
        asked.push(host)
        return []
      },
    })
    for (let n = 0; n < 100; n++) for (let times = 0; times < 2; times++) hosts.room('a', `${n}.example`)
    expect(asked).toHaveLength(16)
    hosts.room('b', 'b.example')
    expect(asked.at(-1)).toBe('b.example')
    await lookedUp()
    for (let n = 0; n < 100; n++) hosts.room('a', `${n}.example`)
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked).toHaveLength(33)
  })

  it('get a request even if their lookup fails, so that the attempt reports the failure', async () => {
    const { hosts } = start({ addressesOf: () => Promise.reject(new Error('ENOTFOUND')) })
    hosts.room('a', HOST)
    await lookedUp()
    expect(hosts.room('a', HOST)).toBe(1)
  })

  it('share a limit of 16 requests at one address, half of which one account may use', async () => {
    const { hosts } = start(aliases)
    const names = Array.from({ length: 16 }, (_, n) => `${n}.example`)
    const fill = async (account: string): Promise<number> => {
      for (const host of names) hosts.room(account, host)
      await lookedUp()
      return names.filter((host) => {
        const hasRoom = hosts.room(account, host) > 0
        if (hasRoom) send(hosts, account, { host })
        return hasRoom
      }).length
    }
    expect(await fill('a')).toBe(8)
    expect(await fill('b')).toBe(4)
    expect(await fill('c')).toBe(2)
  })

  it('make room at their address when one of their requests ends', async () => {
    const { hosts } = start(aliases)
    const names = Array.from({ length: 8 }, (_, n) => `${n}.example`)
    for (const host of [...names, 'new.example']) hosts.room('a', host)
    await lookedUp()
    const all = names.map((host) => send(hosts, 'a', { host }))
    expect(hosts.room('a', 'new.example')).toBe(0)
    // A request that ends without telling anything about its host also makes room at the address.
    all[0]!.ended(undefined)
    expect(hosts.room('a', 'new.example')).toBe(1)
    send(hosts, 'a', { host: 'new.example' })
    expect(hosts.room('a', '1.example')).toBe(0)
    all[1]!.ended(OK)
    expect(hosts.room('a', '1.example')).toBeGreaterThan(0)
  })

  it('share the limit of their address with requests that were opened before the lookup ended', async () => {
    const { hosts } = start(aliases)
    for (const host of ['handed-over.example', 'new.example']) hosts.room('a', host)
    for (let n = 0; n < 8; n++) send(hosts, 'a', { host: 'handed-over.example' })
    await lookedUp()
    expect(hosts.room('a', 'new.example')).toBe(0)
    expect(hosts.room('b', 'new.example')).toBe(1)
  })
})
