import type { DueLane, HandOverRequest, LeasedDelivery, LeasedLane, RequestOf } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import { createScheduler, type Sending } from '../scheduling/scheduler.ts'
import { createWaker } from '../timing/waker.ts'
import { readWorkerOptions } from '../worker/worker-options.ts'
import { createLeasing } from './leasing.ts'
import type { HeldLane } from './settlement-of.ts'

const HOUR_MS = 3_600_000
const DELIVERY: LeasedDelivery = {
  eventId: 'evt_1',
  position: 1,
  attempts: 0,
  suspect: false,
  redacted: false,
  subject: undefined,
  waiting: false,
  event: undefined,
  trace: undefined,
}

function due(n: number, accountId = 'acc'): DueLane {
  return { accountId, mode: 'live', id: `sub_${n}`, host: `h${n}.example`, slow: false, dueAt: n, epoch: 1 }
}

function leased({ accountId, mode, id, host, epoch }: DueLane, deliveries = [DELIVERY]): LeasedLane {
  return {
    lease: { accountId, mode, id, epoch: epoch + 1 },
    targetUrl: `https://${host}/`,
    apiVersion: '2026-10-01',
    secrets: [],
    standing: { deliverable: true, disable: undefined, personalData: false },
    settledThrough: 0,
    through: 0,
    breakerFailures: 0,
    deliveries,
  }
}

interface Options {
  /** The lanes that each search finds, in order; later searches find none. */
  readonly found?: (readonly DueLane[] | Error)[]
  readonly lease?: (lanes: readonly DueLane[]) => readonly LeasedLane[]
  /** The lanes that sequencing leases. */
  readonly sequence?: () => Promise<readonly LeasedLane[]>
  readonly slowLanes?: number
  readonly patienceMs?: number
}

/** Starts leasing on a store that finds these lanes. A visit lasts until its `end` is called. */
function start({
  found = [],
  lease = (lanes) => lanes.map((each) => leased(each)),
  sequence = async () => [],
  slowLanes = 2,
  patienceMs = HOUR_MS,
}: Options) {
  const asked: RequestOf<'deliveries', 'lease'>[] = []
  const handedOver: (HandOverRequest | undefined)[] = []
  const visits: { lane: HeldLane; sending: Sending; end: () => void }[] = []
  const errors: unknown[] = []
  const released: (RequestOf<'deliveries', 'releaseLeases'> | number)[] = []
  const waiting: { looks: number; resolve: () => void }[] = []
  const stopping = new AbortController()
  const waker = createWaker()
  const settings = readWorkerOptions({ lanes: 2, slowLanes, pollMs: HOUR_MS, patienceMs }, Number.POSITIVE_INFINITY)
  const scheduler = createScheduler({ ...settings, addressesOf: undefined, onKnown: waker.wake })
  const postponed = new Set<string>()
  let looks = 0
  let sweeps = 0
  let now = 0
  const leasing = createLeasing({
    store: {
      backlog: async () => ({ outbox: 0, outboxAgeMs: 0, next: undefined, nextInMs: undefined }),
      async due() {
        looks++
        for (const each of waiting) if (each.looks <= looks) each.resolve()
        const lanes = found.shift() ?? []
        if (lanes instanceof Error) throw lanes
        return { lanes, place: { since: looks, last: undefined }, rest: false }
      },
      async lease(request) {
        asked.push(request)
        return [...lease(request.lanes)]
      },
      async sequence(_, request) {
        handedOver.push(request)
        return { sequenced: 1, lanes: await sequence(), rest: false, more: false }
      },
      async releaseLeases(request) {
        released.push(request)
        return 1
      },
      async sweep() {
        sweeps++
        return 0
      },
    },
    worker: 'w',
    settings,
    pauseMs: () => settings.pollMs,
    scheduler,
    postponedLanes: { isPostponed: ({ id }) => postponed.has(id) },
    visit: (lane, sending) => new Promise((end) => void visits.push({ lane, sending, end })),
    waker,
    stopping: stopping.signal,
    elapsed: () => now,
    onError: (error) => errors.push(error),
    onVisited: () => undefined,
    onReleased: (lanes) => released.push(lanes),
  })
  const stopped = leasing.run()
  return {
    leasing,
    scheduler,
    postponed,
    asked,
    handedOver,
    visits,
    errors,
    released,
    waker,
    looks: () => looks,
    sweeps: () => sweeps,
    pass: (ms: number) => {
      now += ms
    },
    /** Resolves once leasing makes no more calls by itself. */
    settled: () => new Promise<void>((resolve) => setImmediate(resolve)),
    /** Resolves at the n-th search for due lanes. */
    looked: (count: number) =>
      looks >= count ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ looks: count, resolve })),
    async stop() {
      stopping.abort()
      for (const { end } of visits) end()
      await stopped
      await leasing.visited()
    },
  }
}

describe('leasing', () => {
  it('leases the lanes that the scheduler reserves room for, each with as many deliveries as fit', async () => {
    const { asked, visits, settled, stop } = start({ found: [[due(1), due(2), due(3)]] })
    await settled()
    // One account gets half of the two slow slots.
    expect(asked).toEqual([{ worker: 'w', call: 1, lanes: [{ ...due(1), room: 1 }], leaseMs: 30_000 }])
    expect(visits).toMatchObject([{ lane: { lease: { id: 'sub_1' }, askedAt: 0, slow: false } }])
    await stop()
  })

  it('leaves alone the lanes that this worker has postponed', async () => {
    const { asked, postponed, settled, waker, stop } = start({ found: [[], [due(1), due(2)]] })
    postponed.add('sub_1')
    await settled()
    waker.wake()
    await settled()
    expect(asked.map(({ lanes }) => lanes.map(({ id }) => id))).toEqual([['sub_2']])
    await stop()
  })

  it('looks again as soon as a slot is free, if lanes wait for their turn', async () => {
    const { asked, visits, settled, stop } = start({ found: [[due(1), due(2)]] })
    await settled()
    visits[0]?.sending.sent()
    await settled()
    expect(asked.map(({ lanes }) => lanes.map(({ id }) => id))).toEqual([['sub_1'], ['sub_2']])
    await stop()
  })

  it('leases known lanes for 50 ms without another search', async () => {
    const { asked, looks, visits, pass, settled, stop } = start({ found: [[due(1), due(2), due(3), due(4)]] })
    const lanes = () => asked.flatMap((request) => request.lanes.map(({ id }) => id))
    await settled()
    const before = looks()
    visits[0]?.sending.sent()
    await settled()
    expect(lanes()).toEqual(['sub_1', 'sub_2'])
    // No slot is free any more, so the worker searched before it went to sleep.
    expect(looks()).toBe(before + 1)
    pass(50)
    visits[1]?.sending.sent()
    await settled()
    expect(lanes()).toEqual(['sub_1', 'sub_2', 'sub_3'])
    expect(looks()).toBe(before + 3)
    await stop()
  })

  it('does not look again because a visit has ended, if no lane waits', async () => {
    const { looks, visits, settled, stop } = start({ found: [[due(1)]] })
    await settled()
    const before = looks()
    visits[0]?.end()
    await settled()
    expect(looks()).toBe(before)
    await stop()
  })

  it('looks again when it is woken', async () => {
    const { looks, waker, visits, settled, stop } = start({ found: [[], [due(1)]] })
    await settled()
    expect(looks()).toBe(1)
    waker.wake()
    await settled()
    expect(visits).toHaveLength(1)
    await stop()
  })

  it('reserves requests only for the deliveries that it leased and may send', async () => {
    const waiting = { ...DELIVERY, waiting: true }
    const { scheduler, settled, stop } = start({
      found: [[due(1)]],
      lease: (lanes) => lanes.map((each) => leased(each, [waiting])),
    })
    await settled()
    expect(scheduler.state().sending).toBe(1)
    // With a request open, the host would be left out.
    expect(scheduler.handedOver().leaveOutHosts).toEqual([])
    await stop()
  })

  it('gives back the slot of a lane that could not be leased', async () => {
    const { scheduler, visits, settled, stop } = start({ found: [[due(1)]], lease: () => [] })
    await settled()
    expect(visits).toEqual([])
    expect(scheduler.state()).toEqual({ sending: 0, waiting: 0, accounts: 0 })
    await stop()
  })

  it('gives back all slots if the store cannot lease, and looks again after a pause', async () => {
    let fails = true
    const { leasing, scheduler, asked, errors, released, visits, looked, settled, stop } = start({
      found: [[due(1), due(2, 'b')], [due(1)]],
      slowLanes: 4,
      lease: (lanes) => {
        if (fails) throw new Error('the store cannot be reached')
        return lanes.map((each) => leased(each))
      },
    })
    await settled()
    expect(errors).toEqual([new Error('the store cannot be reached')])
    expect(leasing.ok()).toBe(false)
    expect(scheduler.state().sending).toBe(0)
    expect(released).toEqual([])
    fails = false
    await looked(2)
    await settled()
    // The answer may have been lost, so the lanes of that call are released before the next look.
    const [{ call } = { call: 0 }] = asked
    expect(released).toEqual([{ of: 'calls', worker: 'w', calls: [call] }, 1])
    expect(visits).toHaveLength(1)
    expect(leasing.ok()).toBe(true)
    await stop()
  })

  it('reports for how long it has not reached the store', async () => {
    const { leasing, errors, pass, waker, settled, stop } = start({ found: [[], new Error('down')] })
    await settled()
    pass(5_000)
    waker.wake()
    await settled()
    expect(errors).toHaveLength(1)
    expect(leasing.sinceContactMs()).toBe(5_000)
    await stop()
  })

  it('asks the store once a minute for lanes that were never woken', async () => {
    const { sweeps, pass, waker, settled, stop } = start({})
    await settled()
    pass(60_000)
    waker.wake()
    await settled()
    expect(sweeps()).toBe(0)
    pass(1)
    waker.wake()
    await settled()
    waker.wake()
    await settled()
    expect(sweeps()).toBe(1)
    await stop()
  })

  it('tells the scheduler that a visit takes longer than patienceMs', async () => {
    const { scheduler, settled, stop } = start({ found: [[due(1)]], patienceMs: 1 })
    const quick = scheduler.reserveLeased('b', due(1).host).begin(1, 0)
    quick.ended({ kind: 'good', expectedToFail: false, startedAt: 0, endedAt: 1 })
    quick.settled()
    await settled()
    scheduler.offer([{ ...due(2), host: due(1).host }])
    // The visit has moved from one of the two quick slots to a slow one.
    await expect.poll(() => scheduler.handedOver().lanes).toBe(2)
    await stop()
  })

  it('does not lease lanes that it finds while the worker is stopping', async () => {
    const { asked, stop } = start({ found: [[due(1)]] })
    await stop()
    expect(asked).toEqual([])
  })

  it('takes no lanes from sequencing once the worker stops', async () => {
    const { leasing, handedOver, stop } = start({})
    await stop()
    await leasing.sequence(10)
    expect(handedOver).toMatchObject([{ lanes: 0 }])
  })
})

describe('lanes that are leased together with sequencing', () => {
  it('are visited at once, and hold a slot until they are settled', async () => {
    const { leasing, handedOver, visits, scheduler, stop } = start({ sequence: async () => [leased(due(1))] })
    expect(await leasing.sequence(10)).toMatchObject({ sequenced: 1 })
    expect(handedOver).toEqual([{ worker: 'w', call: 1, leaseMs: 30_000, lanes: 2, leaveOut: [], leaveOutHosts: [] }])
    expect(visits).toMatchObject([{ lane: { lease: { id: 'sub_1' }, slow: false } }])
    expect(scheduler.state().sending).toBe(1)
    expect(scheduler.handedOver().leaveOutHosts).toEqual(['h1.example'])
    await stop()
    expect(scheduler.state().sending).toBe(0)
  })

  it('exclude hosts that cannot take four more requests', async () => {
    const { leasing, handedOver, settled, stop } = start({ found: [[due(1), due(2)]] })
    await settled()
    await leasing.sequence(10)
    expect(handedOver).toMatchObject([{ leaveOutHosts: [due(1).host] }])
    await stop()
  })

  it('hold no slot after a failed call, and are released at once, because the call may have leased them before it failed', async () => {
    const { leasing, released, scheduler, settled, stop } = start({ sequence: () => Promise.reject(new Error('down')) })
    await settled()
    await expect(leasing.sequence(10)).rejects.toThrow('down')
    expect(scheduler.state().sending).toBe(0)
    await settled()
    expect(released).toEqual([{ of: 'calls', worker: 'w', calls: [1] }, 1])
    await stop()
  })
})
