import type { DueLane, HeldBackHost } from '@callboard/core/store'
import { FIRST_LIMIT, type RequestEnd } from './host-limit.ts'
import { createHosts, type Hosts, type HostsOptions } from './hosts.ts'
import { createSlots, type SlotsOptions } from './slots.ts'
import { createTurns } from './turns.ts'

/**
 * The maximum number of accounts, and of hosts, that sequencing can be told to leave out when it leases lanes. If there
 * are more, sequencing leases no lanes.
 */
const MOST_LEFT_OUT = 64

export interface SchedulerOptions extends HostsOptions, SlotsOptions {
  /** The maximum number of requests in flight for one subscription. */
  readonly perSubscription: number
}

/** The room that is reserved for a lane: a slot, and requests at the lane's host. */
export interface Reservation {
  readonly lane: Pick<DueLane, 'accountId' | 'host' | 'slow'>
  /** The most deliveries to lease. */
  readonly room: number
  /** Starts the visit, which sends this many requests, at most `room`. `now` is in monotonic milliseconds. */
  begin(requests: number, now: number): Sending
  /** Releases the reservation, because the lane was not leased. */
  cancel(): void
}

/** A visit in progress: the scheduler's view of a leased lane until it is settled. */
export interface Sending {
  /** Records that the visit has taken longer than `patienceMs`. */
  isLate(): void
  /** Records that one request has ended. */
  ended(end: RequestEnd | undefined): void
  /** Records that all requests have ended, and only settling remains. A second call does nothing. */
  sent(): void
  settled(): void
}

/** How many lanes the worker is sending to, and how many wait. */
export interface SchedulerState {
  /** How many lanes the worker is sending to now. */
  readonly sending: number
  /** How many due lanes wait for their turn, and how many accounts they belong to. */
  readonly waiting: number
  readonly accounts: number
}

/**
 * Decides which due lanes are sent to next, so that no account and no host gets more than its share (decision 017). It
 * knows no store, no clock and no timer: the worker tells it what happens.
 */
export interface Scheduler extends Pick<Hosts, 'learn' | 'limits'> {
  /** Remembers due lanes. Returns false if there was no room for some of them. */
  offer(lanes: readonly DueLane[]): boolean
  /** Reserves room for the lanes whose turn it is, at most `most`. */
  reserve(most: number): (Reservation & { readonly lane: DueLane })[]
  /** Reserves room for a lane that has already been leased with one delivery. */
  reserveLeased(accountId: string, host: string): Reservation
  /**
   * The limits for leasing lanes together with sequencing: at most `lanes` lanes, and none of an account in `leaveOut`
   * or of a host in `leaveOutHosts`. Room for the lanes leased in this way is reserved afterwards, with
   * `reserveLeased`.
   */
  handedOver(): {
    readonly lanes: number
    readonly leaveOut: readonly string[]
    readonly leaveOutHosts: readonly string[]
  }
  /** Whether due lanes are waiting for their turn. */
  isWaiting(): boolean
  state(): SchedulerState
  /**
   * The hosts that keep lanes waiting, sorted by the number of these lanes, highest first. A call takes time in
   * proportion to the number of waiting accounts and their hosts.
   */
  heldBack(): HeldBackHost[]
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const slots = createSlots(options)
  const hosts = createHosts(options)
  const turns = createTurns()
  const sendingOf = new Map<string, number>()

  const count = (accountId: string, change: 1 | -1): void => {
    const sending = (sendingOf.get(accountId) ?? 0) + change
    if (sending > 0) sendingOf.set(accountId, sending)
    else sendingOf.delete(accountId)
  }

  /**
   * Whether a visit takes a quick slot. It may last long, and takes a slow slot, if its target was slow or failing at
   * the last attempt, or if its host is new, slow or failing.
   */
  const isQuick = (host: string, slow: boolean): boolean => !slow && hosts.isQuick(host)

  const roomAt = (accountId: string, host: string, slow: boolean): number =>
    slots.mayStart(accountId, isQuick(host, slow)) ? Math.min(hosts.room(accountId, host), options.perSubscription) : 0

  const reservationFor = <Lane extends Reservation['lane']>(lane: Lane, quick: boolean, room: number) => {
    const { accountId, host } = lane
    const requests = hosts.open(accountId, host, room)
    let isInQuickSlot = quick
    let isSending = true
    slots.takeSlot(accountId, quick)
    count(accountId, 1)

    const release = (): void => {
      isSending = false
      requests.closeAllBut(0)
      slots.free(accountId, isInQuickSlot)
      count(accountId, -1)
    }
    const sent = (): void => {
      if (!isSending) return
      release()
      slots.settling(1)
    }
    const sending: Sending = {
      isLate() {
        if (!isSending) return
        requests.isLate()
        if (!isInQuickSlot) return
        isInQuickSlot = false
        slots.slowDown(accountId)
      },
      ended: requests.ended,
      sent,
      settled() {
        sent()
        slots.settling(-1)
      },
    }
    const begin: Reservation['begin'] = (count, now) => {
      requests.closeAllBut(count)
      requests.sentAt(now)
      return sending
    }
    return { lane, room, begin, cancel: release }
  }

  return {
    learn: hosts.learn,
    limits: hosts.limits,
    offer: (lanes) => lanes.map((lane) => turns.add(lane)).every((added) => added),
    reserve(most) {
      const reserved: (Reservation & { readonly lane: DueLane })[] = []
      // Looking through 10,000 accounts takes a millisecond or two, so the search stops once no slot is free.
      const isDone = (): boolean => reserved.length >= most || slots.areFull()
      if (isDone()) return reserved
      for (const { lane, room } of turns.takeTurns(roomAt)) {
        reserved.push(reservationFor(lane, isQuick(lane.host, lane.slow), room))
        if (isDone()) break
      }
      return reserved
    },
    reserveLeased: (accountId, host) => reservationFor({ accountId, host, slow: false }, isQuick(host, false), 1),
    handedOver() {
      const leaveOut = [...sendingOf].flatMap(([accountId, sending]) => (sending >= FIRST_LIMIT ? [accountId] : []))
      const leaveOutHosts = hosts.busy(FIRST_LIMIT)
      if (Math.max(leaveOut.length, leaveOutHosts.length) > MOST_LEFT_OUT)
        return { lanes: 0, leaveOut: [], leaveOutHosts: [] }
      return { lanes: Math.max(0, Math.min(slots.quick(), FIRST_LIMIT)), leaveOut, leaveOutHosts }
    },
    isWaiting: () => turns.size() > 0,
    state: () => ({ sending: slots.held(), waiting: turns.size(), accounts: turns.count() }),
    heldBack() {
      const waiting = new Map<string, number>()
      for (const { accountId, host, lanes } of turns.waitingFor())
        if (hosts.holdsBack(accountId, host)) waiting.set(host, (waiting.get(host) ?? 0) + lanes)
      return [...waiting]
        .map(([host, lanes]) => ({ host, ...hosts.describe(host), lanes }))
        .sort((a, b) => b.lanes - a.lanes)
    },
  }
}
