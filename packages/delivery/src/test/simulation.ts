import assert from 'node:assert/strict'
import type { DueLane } from '@callboard/core/store'
import type { RequestEnd } from '../lib/scheduling/host-limit.ts'
import {
  createScheduler,
  type Reservation,
  type Scheduler,
  type SchedulerOptions,
} from '../lib/scheduling/scheduler.ts'
import { createSchedulerModel, type ModelVisit, type SchedulerModel } from './scheduler-model.ts'

const DEADLINE_MS = 2_000
const LEASE_MS = 1
const SETTLE_MS = 2
const LOOKUP_MS = 5
/** A lane that failed becomes due again after this time. */
const RETRY_MS = 400
/**
 * The maximum number of simulated events, far more than any run needs. It turns an endless loop into an error message.
 */
const MOST_EVENTS = 20_000
const KINDS = { answer: 'good', refuse: 'overload', fail: 'neutral' } as const

export interface Simulated {
  readonly options: Pick<SchedulerOptions, 'lanes' | 'slowLanes' | 'perSubscription' | 'perHost' | 'patienceMs'>
  readonly hosts: readonly SimulatedHost[]
  readonly lanes: readonly SimulatedLane[]
  /** If set, names are looked up, and host n has the address n modulo this number. */
  readonly addresses: number | undefined
}

export interface SimulatedHost {
  /** How many requests the host takes at a time. It answers further requests with 503. */
  readonly capacity: number
  /** The host's behaviour, phase after phase. After the last phase, the host answers every request within 20 ms. */
  readonly phases: readonly {
    readonly forMs: number
    readonly tookMs: number
    readonly does: 'answer' | 'refuse' | 'fail' | 'hang'
  }[]
}

export interface SimulatedLane {
  readonly at: number
  readonly account: number
  readonly host: number
  readonly deliveries: number
  /** Whether requests for this lane are never answered, whatever the host does with other requests. */
  readonly hangs: boolean
  /** How many times leasing the lane fails. */
  readonly lost: number
  readonly retries: number
  /** Whether the lane is leased together with sequencing, if the scheduler allows that. */
  readonly handedOver: boolean
}

export interface SimulationOptions {
  /** Called after each round of reservations. */
  readonly onReserved?: ((simulation: Simulation, accounts: readonly string[]) => void) | undefined
}

export interface Simulation {
  readonly scheduler: Scheduler
  readonly model: SchedulerModel
  now(): number
}

/**
 * Simulates a worker, its store and its targets in virtual time, until no lane is left. After every simulated event,
 * reserves room for lanes and compares the scheduler with the model.
 */
export async function simulate(simulated: Simulated, { onReserved }: SimulationOptions = {}): Promise<Simulation> {
  const { options, hosts, addresses } = simulated
  const model = createSchedulerModel(options)
  const events: { at: number; run: () => void }[] = []
  const left = new Map<DueLane, { lost: number; retries: number; plan: SimulatedLane }>()
  /** How many requests each host is really working on, including those that were set aside. */
  const working = hosts.map(() => 0)
  let now = 0

  const after = (ms: number, run: () => void): void => {
    const at = now + ms
    const index = events.findLastIndex((event) => event.at <= at)
    events.splice(index + 1, 0, { at, run })
  }

  const scheduler = createScheduler({
    ...options,
    addressesOf:
      addresses === undefined
        ? undefined
        : (host) =>
            new Promise((resolve) => {
              after(LOOKUP_MS, () => {
                const found = [`address ${Number(host.slice(1)) % addresses}`]
                model.addresses.set(host, found)
                resolve(found)
              })
            }),
    onKnown: () => undefined,
  })
  if (addresses === undefined) for (const host of hosts.keys()) model.addresses.set(nameOf(host), [])

  const offer = (lane: DueLane): void => {
    model.offer(lane)
    assert.ok(scheduler.offer([lane]), 'there is room for the lane')
  }

  const answer = ({ host, hangs }: SimulatedLane): { tookMs: number; kind: RequestEnd['kind'] } => {
    const { capacity, phases } = hosts[host] ?? { capacity: 1, phases: [] }
    if (hangs) return { tookMs: DEADLINE_MS, kind: 'overload' }
    if ((working[host] ?? 0) > capacity) return { tookMs: 5, kind: 'overload' }
    let until = 0
    for (const { forMs, tookMs, does } of phases) {
      until += forMs
      if (now >= until) continue
      if (does === 'hang') return { tookMs: DEADLINE_MS, kind: 'overload' }
      return { tookMs, kind: KINDS[does] }
    }
    return { tookMs: 20, kind: 'good' }
  }

  const start = (lane: DueLane, plan: SimulatedLane, { begin, room }: Reservation, visit: ModelVisit): void => {
    const requests = Math.min(room, plan.deliveries)
    const sending = begin(requests, now)
    visit.left = requests
    visit.sentAt = now
    let failed = false
    const sent = (): void => {
      sending.sent()
      visit.phase = 'settling'
      after(SETTLE_MS, () => {
        sending.settled()
        model.visits.delete(visit)
        const rest = left.get(lane)
        left.delete(lane)
        if (!failed || rest === undefined || rest.retries === 0) return
        const again = { ...lane, slow: true, dueAt: now + RETRY_MS }
        left.set(again, { ...rest, retries: rest.retries - 1 })
        after(RETRY_MS, () => offer(again))
      })
    }
    after(options.patienceMs, () => {
      if (visit.phase !== 'sending') return
      sending.isLate()
      model.isLate(visit)
    })
    if (requests === 0) after(1, sent)
    for (let request = 0; request < requests; request++) {
      working[plan.host] = (working[plan.host] ?? 0) + 1
      const { tookMs, kind } = answer(plan)
      const startedAt = now
      after(tookMs, () => {
        working[plan.host] = (working[plan.host] ?? 0) - 1
        if (kind !== 'good') failed = true
        const end: RequestEnd = { kind, expectedToFail: lane.slow, startedAt, endedAt: now }
        sending.ended(end)
        model.ended(visit, end)
        if (visit.left === 0) sent()
      })
    }
  }

  const visitOf = ({ accountId, host }: DueLane, isInQuickSlot: boolean, room: number): ModelVisit => {
    const visit: ModelVisit = {
      accountId,
      host,
      isInQuickSlot,
      phase: 'sending',
      left: room,
      sentAt: Number.POSITIVE_INFINITY,
      isLate: false,
      isSetAside: false,
    }
    model.visits.add(visit)
    return visit
  }

  const reserve = (): void => {
    const accounts: string[] = []
    for (const reservation of scheduler.reserve(options.lanes + options.slowLanes)) {
      const { lane, room } = reservation
      const startable = model.startable()
      assert.equal(lane.accountId, model.next(startable), 'the account’s turn has come')
      const others = startable.filter(({ accountId }) => accountId === lane.accountId)
      assert.equal(lane.dueAt, Math.min(...others.map(({ dueAt }) => dueAt)), 'its oldest lane comes first')
      const most = model.mostOpen(lane)
      model.startLane(lane)
      const visit = visitOf(lane, model.isQuick(lane), room)
      assert.ok(room >= 1 && room <= options.perSubscription, `room for ${room}`)
      assert.ok(model.open(lane.host) <= most, `${model.open(lane.host)} are open at ${lane.host}`)
      accounts.push(lane.accountId)
      const rest = left.get(lane)
      assert.ok(rest !== undefined, `${lane.id} was offered`)
      after(LEASE_MS, () => {
        if (rest.lost === 0) return start(lane, rest.plan, reservation, visit)
        rest.lost--
        reservation.cancel()
        model.visits.delete(visit)
        offer(lane)
      })
    }
    assert.deepEqual(model.startable(), [], 'no lane waits although it may start')
    const { sending, waiting } = scheduler.state()
    assert.deepEqual({ sending, waiting }, { sending: model.sending(), waiting: model.queue.length })
    for (const { host, limit } of scheduler.heldBack()) assert.equal(limit, model.limitOf(host).limit())
    onReserved?.({ scheduler, model, now: () => now }, accounts)
  }

  const handOver = (lane: DueLane, plan: SimulatedLane): boolean => {
    const { lanes, leaveOut, leaveOutHosts } = scheduler.handedOver()
    if (lanes === 0 || leaveOut.includes(lane.accountId) || leaveOutHosts.includes(lane.host)) return false
    const before = scheduler.state().sending
    const reservation = scheduler.reserveLeased(lane.accountId, lane.host)
    assert.equal(scheduler.state().sending, before + 1)
    start(lane, plan, reservation, visitOf(lane, model.isQuick(lane), 1))
    return true
  }

  for (const [n, plan] of simulated.lanes.entries()) {
    const lane: DueLane = {
      accountId: `account ${plan.account}`,
      mode: 'live',
      id: `lane ${n}`,
      host: nameOf(plan.host),
      slow: false,
      dueAt: plan.at,
      epoch: 1,
    }
    left.set(lane, { lost: plan.lost, retries: plan.retries, plan })
    after(plan.at, () => {
      if (!plan.handedOver || !handOver(lane, plan)) offer(lane)
    })
  }

  for (let handled = 0; ; handled++) {
    reserve()
    const event = events.shift()
    if (event === undefined) break
    assert.ok(handled < MOST_EVENTS, `lanes are left after ${MOST_EVENTS} events`)
    now = event.at
    event.run()
    // Gives promises time to settle, so that the scheduler learns that a lookup has ended.
    for (let turn = 0; addresses !== undefined && turn < 3; turn++) await Promise.resolve()
  }
  assert.equal(model.queue.length, 0, 'every lane was sent to')
  assert.equal(left.size, 0, 'every visit has ended')
  return { scheduler, model, now: () => now }
}

function nameOf(host: number): string {
  return `h${host}`
}
