import type { DueLane } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import type { RequestEnd } from './host-limit.ts'
import { createScheduler, type Reservation, type Scheduler } from './scheduler.ts'

const OK: RequestEnd = { kind: 'good', expectedToFail: false, startedAt: 0, endedAt: 5 }
const ALL = Number.POSITIVE_INFINITY
const IDLE = { sending: 0, waiting: 0, accounts: 0 }

function start({ lanes = 64, slowLanes = 256 } = {}): Scheduler {
  return createScheduler({
    lanes,
    slowLanes,
    perSubscription: 10,
    perHost: 500,
    patienceMs: 250,
    addressesOf: undefined,
    onKnown: () => undefined,
  })
}

function lane(accountId: string, n: number, more: Partial<DueLane> = {}): DueLane {
  return { accountId, mode: 'live', id: `${accountId}-${n}`, host: 'h', slow: false, dueAt: n, epoch: 1, ...more }
}

/** Offers lanes of one account, each at a host of its own. */
function flood(scheduler: Scheduler, accountId: string, count: number): void {
  for (let n = 0; n < count; n++) scheduler.offer([lane(accountId, n, { host: `${accountId}-${n}.example` })])
}

/** Makes a host quick and raises its limit to at least `limit`. */
function train(scheduler: Scheduler, host: string, limit = 4): void {
  for (let taken = 4; ; taken++) {
    for (const { begin } of Array.from({ length: taken }, () => scheduler.reserveLeased('others', host))) {
      const sending = begin(1, 0)
      sending.ended(OK)
      sending.settled()
    }
    if (taken >= limit) return
  }
}

function end({ begin }: Reservation): void {
  const sending = begin(1, 0)
  sending.ended(OK)
  sending.settled()
}

const accountsOf = (reserved: readonly Reservation[]): string[] => reserved.map(({ lane: { accountId } }) => accountId)

describe('slots for visits that may take long', () => {
  it('are shared: one account alone gets half of them, and two accounts get a third each', () => {
    const scheduler = start({ slowLanes: 30 })
    flood(scheduler, 'a', 30)
    expect(scheduler.reserve(ALL)).toHaveLength(15)
    const fair = start({ slowLanes: 30 })
    for (const account of ['a', 'b']) flood(fair, account, 30)
    const reserved = accountsOf(fair.reserve(ALL))
    expect([reserved.filter((id) => id === 'a').length, reserved.filter((id) => id === 'b').length]).toEqual([10, 10])
  })

  it('are left for a new account, however many lanes two earlier accounts have', () => {
    const scheduler = start()
    for (const account of ['a', 'b']) flood(scheduler, account, 500)
    for (const { begin } of scheduler.reserve(ALL)) begin(1, 0).isLate()
    scheduler.offer([lane('newcomer', 0)])
    expect(accountsOf(scheduler.reserve(ALL))).toEqual(['newcomer'])
  })
})

describe('slots for quick visits', () => {
  it('may all go to one account', () => {
    const scheduler = start()
    train(scheduler, 'h', 80)
    for (let n = 0; n < 70; n++) scheduler.offer([lane('a', n)])
    let reserved = 0
    for (let found = scheduler.reserve(ALL); found.length > 0; found = scheduler.reserve(ALL)) {
      for (const { begin } of found) begin(1, 0)
      reserved += found.length
    }
    expect(reserved).toBe(64)
    expect(scheduler.state()).toMatchObject({ sending: 64, waiting: 6 })
  })

  it('stay free even if hundreds of quick visits of other accounts begin to hang', () => {
    const scheduler = start()
    train(scheduler, 'victim.example')
    for (const account of ['a', 'b', 'c', 'd']) {
      for (let n = 0; n < 500; n++) train(scheduler, `${account}-${n}.example`)
      flood(scheduler, account, 500)
    }
    for (let round = 0; round < 10; round++) for (const { begin } of scheduler.reserve(ALL)) begin(1, 0).isLate()
    scheduler.offer([lane('victim', 0, { host: 'victim.example' })])
    expect(accountsOf(scheduler.reserve(ALL))).toEqual(['victim'])
  })

  it('are not held by visits that are being settled, unless settling falls far behind', () => {
    const scheduler = start({ lanes: 2, slowLanes: 2 })
    train(scheduler, 'h', 20)
    const sendOne = () => {
      const sending = scheduler.reserveLeased('a', 'h').begin(0, 0)
      sending.sent()
      return sending
    }
    const settling = [1, 2, 3].map(sendOne)
    expect(scheduler.handedOver().lanes).toBe(1)
    settling.push(sendOne())
    scheduler.offer([lane('b', 0), lane('c', 0, { host: 'new.example' })])
    expect(scheduler.reserve(ALL)).toEqual([])
    for (const sending of settling) sending.settled()
    expect(scheduler.reserve(ALL)).toHaveLength(2)
  })
})

describe('the scheduler', () => {
  it('makes another account wait for only one turn when an account has 5,000 due lanes', () => {
    const scheduler = start()
    flood(scheduler, 'flood', 5_000)
    scheduler.offer([lane('b', 9_999)])
    expect(accountsOf(scheduler.reserve(2))).toEqual(['flood', 'b'])
  })

  it('returns false if it has no room for some of the lanes that it is offered', () => {
    const scheduler = start()
    flood(scheduler, 'a', 1_000)
    expect(scheduler.offer([lane('a', 1_000), lane('b', 0)])).toBe(false)
    expect(scheduler.state()).toMatchObject({ waiting: 1_001, accounts: 2 })
    expect(scheduler.isWaiting()).toBe(true)
  })

  it('gives a lane no more requests than one subscription may have', () => {
    const scheduler = start()
    train(scheduler, 'h', 20)
    scheduler.offer([lane('a', 0)])
    expect(scheduler.reserve(ALL)).toMatchObject([{ room: 10 }])
  })

  it('reserves room for no more lanes than requested', () => {
    const scheduler = start()
    flood(scheduler, 'a', 5)
    expect(scheduler.reserve(0)).toEqual([])
    expect(scheduler.reserve(3)).toHaveLength(3)
  })
})

describe('the state of the scheduler', () => {
  it('lists the hosts that are held back, with the reason, sorted by the number of waiting lanes', () => {
    const scheduler = start()
    train(scheduler, 'failing.example')
    scheduler.reserveLeased('others', 'failing.example').begin(1, 0).isLate()
    const hosts = ['new.example', ...Array.from({ length: 9 }, () => 'failing.example')]
    scheduler.offer(hosts.map((host, n) => lane('a', n, { host })))
    scheduler.offer([lane('a', 20, { host: 'new.example' }), lane('a', 21, { host: 'new.example' })])
    scheduler.reserve(ALL)
    expect(scheduler.heldBack()).toEqual([
      { host: 'failing.example', limit: 5, reason: 'failing', lanes: 7 },
      { host: 'new.example', limit: 4, reason: 'new', lanes: 1 },
    ])
  })

  it('returns to zero however a visit ends', () => {
    const endings: ((reservation: Reservation) => void)[] = [
      end,
      ({ cancel }) => cancel(),
      ({ begin }) => begin(0, 0).settled(),
      // Nothing was sent, for example because the worker is stopping.
      ({ begin }) => begin(1, 0).settled(),
      ({ begin }) => {
        const sending = begin(1, 0)
        sending.isLate()
        sending.isLate()
        sending.ended({ ...OK, kind: 'overload', endedAt: 15_000 })
        sending.sent()
        sending.sent()
        sending.isLate()
        sending.settled()
      },
      ({ begin }) => {
        const sending = begin(1, 0)
        sending.sent()
        sending.ended(OK)
        sending.settled()
      },
    ]
    for (const ending of endings)
      for (const host of ['new.example', 'quick.example']) {
        const scheduler = start({ lanes: 2, slowLanes: 4 })
        train(scheduler, 'quick.example')
        scheduler.offer([lane('a', 0, { host })])
        const [reservation] = scheduler.reserve(ALL)
        ending(reservation!)
        expect(scheduler.state()).toEqual(IDLE)
        expect(scheduler.handedOver()).toEqual({ lanes: 2, leaveOut: [], leaveOutHosts: [] })
        flood(scheduler, 'a', 4)
        expect(scheduler.reserve(ALL)).toHaveLength(2)
      }
  })
})

describe('lanes that are leased together with sequencing', () => {
  it('are at most four, and none if no quick slot is free', () => {
    expect(start().handedOver()).toEqual({ lanes: 4, leaveOut: [], leaveOutHosts: [] })
    const scheduler = start({ lanes: 2 })
    train(scheduler, 'h', 20)
    expect(scheduler.handedOver().lanes).toBe(2)
    for (const n of [1, 2]) scheduler.reserveLeased(`a${n}`, 'h').begin(1, 0)
    expect(scheduler.handedOver().lanes).toBe(0)
  })

  it('exclude accounts that have four visits in progress', () => {
    const scheduler = start({ lanes: 2, slowLanes: 20 })
    flood(scheduler, 'busy', 4)
    expect(scheduler.reserve(ALL)).toHaveLength(4)
    scheduler.reserveLeased('calm', 'calm.example')
    expect(scheduler.handedOver().leaveOut).toEqual(['busy'])
  })

  it('exclude hosts that cannot take four more requests', () => {
    const scheduler = start()
    train(scheduler, 'h', 20)
    scheduler.reserveLeased('a', 'h').begin(1, 0)
    scheduler.reserveLeased('a', 'new.example').begin(1, 0)
    expect(scheduler.handedOver().leaveOutHosts).toEqual(['new.example'])
  })

  it('are not delayed by accounts that wait, however many there are', () => {
    const scheduler = start()
    for (let n = 0; n < 10_000; n++) scheduler.offer([lane(`a${n}`, n)])
    scheduler.reserve(ALL)
    expect(scheduler.handedOver()).toEqual({ lanes: 4, leaveOut: [], leaveOutHosts: ['h'] })
  })

  it('are none while more than 64 hosts cannot take four more requests', () => {
    const scheduler = start()
    for (let n = 0; n < 64; n++) scheduler.reserveLeased(`a${n}`, `h${n}.example`)
    expect(scheduler.handedOver()).toMatchObject({ lanes: 4, leaveOutHosts: { length: 64 } })
    scheduler.reserveLeased('one-more', 'one-more.example')
    expect(scheduler.handedOver()).toEqual({ lanes: 0, leaveOut: [], leaveOutHosts: [] })
  })
})
