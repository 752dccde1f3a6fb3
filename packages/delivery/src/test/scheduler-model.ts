import type { DueLane } from '@callboard/core/store'
import { createHostLimit, type HostLimit, type RequestEnd } from '../lib/scheduling/host-limit.ts'
import type { SchedulerOptions } from '../lib/scheduling/scheduler.ts'

/** How many requests to hosts that were never tried may be open at one address, as in `hosts.ts`. */
const PER_ADDRESS = 16

/** A visit of the simulation, from its reservation until it is settled. */
export interface ModelVisit {
  readonly accountId: string
  readonly host: string
  isInQuickSlot: boolean
  phase: 'sending' | 'settling'
  /** How many of its requests are open, or reserved. */
  left: number
  sentAt: number
  isLate: boolean
  /** Whether its requests are set aside, because the host has answered a later one. */
  isSetAside: boolean
}

/** Applies the rules of decision 017 to the list of all visits. The scheduler applies them to counters instead. */
export interface SchedulerModel {
  readonly queue: DueLane[]
  readonly visits: Set<ModelVisit>
  /** The addresses of the hosts whose lookup has ended. */
  readonly addresses: Map<string, readonly string[]>
  /** The hosts for which at least one request has ended. */
  readonly tried: Set<string>
  /** How many visits are sending. */
  sending(): number
  /** Whether quick visits, and visits that wait to be settled, hold all quick slots. */
  areQuickSlotsBusy(): boolean
  limitOf(host: string): HostLimit
  /** How many requests are open at a host, without those that are set aside. */
  open(host: string): number
  /**
   * The waiting lanes that may start. Of the lanes with the same account, host and `slow`, only the one that has been
   * due longest may start.
   */
  startable(): readonly DueLane[]
  /** Whether the lane takes a quick slot. */
  isQuick(lane: DueLane): boolean
  /** The maximum number of requests that may be open at the lane's host once this lane has started. */
  mostOpen(lane: DueLane): number
  /** Adds a due lane to the queue. */
  offer(lane: DueLane): void
  /** Removes a lane from the queue, because its turn has come. */
  startLane(lane: DueLane): void
  /** The account whose turn comes next among the owners of these lanes. */
  next(lanes: readonly DueLane[]): string | undefined
  /** Records that the visit has taken longer than `patienceMs`. */
  isLate(visit: ModelVisit): void
  /** Records that one request of the visit has ended. */
  ended(visit: ModelVisit, end: RequestEnd): void
}

type ModelOptions = Pick<SchedulerOptions, 'lanes' | 'slowLanes' | 'perHost' | 'patienceMs'>

/** Models all of the scheduler except the limit of a single host, which has its own tests. */
export function createSchedulerModel({ lanes, slowLanes, ...options }: ModelOptions): SchedulerModel {
  const queue: DueLane[] = []
  const visits = new Set<ModelVisit>()
  const addresses = new Map<string, readonly string[]>()
  const tried = new Set<string>()
  const limits = new Map<string, HostLimit>()
  /** The waiting accounts, in the order of their turns. */
  const order: string[] = []

  const count = (counts: (visit: ModelVisit) => number | boolean): number => {
    let total = 0
    for (const visit of visits) total += Number(counts(visit))
    return total
  }
  const isSending = ({ phase }: ModelVisit): boolean => phase === 'sending'
  const requestsAt = (host: string, accountId?: string): number =>
    count((visit) => {
      const isCounted = visit.host === host && !visit.isSetAside
      return isCounted && (accountId === undefined || visit.accountId === accountId) ? visit.left : 0
    })
  /** The rule of the dynamic threshold: an account gets more while it holds less than is free. */
  const isWithinShare = (held: number, total: number, limit: number): boolean => held < limit - total

  const settling = (): number => count(({ phase }) => phase === 'settling')
  const sendingIn = (isQuick: boolean, accountId?: string): number =>
    count((visit) => {
      const isCounted = isSending(visit) && visit.isInQuickSlot === isQuick
      return isCounted && (accountId === undefined || visit.accountId === accountId)
    })
  const heldOf = (accountId: string): number => count((visit) => isSending(visit) && visit.accountId === accountId)
  const sending = (): number => count(isSending)

  const hasQuickSlot = (accountId: string): boolean => {
    const taken = sendingIn(true) + Math.max(0, settling() - lanes) + Math.max(0, sendingIn(false) - slowLanes)
    return taken < lanes && isWithinShare(heldOf(accountId), sending(), lanes + slowLanes)
  }
  const hasSlowSlot = (accountId: string): boolean =>
    settling() < 2 * lanes && isWithinShare(sendingIn(false, accountId), sendingIn(false), slowLanes)

  const limitOf = (host: string): HostLimit => {
    const limit = limits.get(host) ?? createHostLimit(options)
    limits.set(host, limit)
    return limit
  }

  /** Whether the host may get one more request, because all its open requests are late and may hang. */
  const mayFindOut = (host: string): boolean => {
    const open = requestsAt(host)
    const late = count((visit) => (visit.host === host && visit.isLate && !visit.isSetAside ? visit.left : 0))
    return open > 0 && open === late && open < 2 * limitOf(host).limit()
  }

  const hasRoom = ({ accountId, host }: DueLane): boolean => {
    const limit = limitOf(host)
    const open = requestsAt(host)
    if (limit.isQuick()) return open < limit.limit()
    return isWithinShare(requestsAt(host, accountId), open, limit.limit()) || mayFindOut(host)
  }

  const hasRoomAtAddresses = ({ accountId, host }: DueLane): boolean => {
    if (tried.has(host)) return true
    const aliases = (address: string) =>
      [...addresses].filter(([name, all]) => !tried.has(name) && all.includes(address)).map(([name]) => name)
    const sum = (hosts: string[], of?: string) => hosts.reduce((total, name) => total + requestsAt(name, of), 0)
    return (
      addresses.get(host)?.every((address) => {
        const hosts = aliases(address)
        return isWithinShare(sum(hosts, accountId), sum(hosts), PER_ADDRESS)
      }) ?? false
    )
  }

  const isQuick = ({ host, slow }: DueLane): boolean => !slow && limitOf(host).isQuick()
  const mayStart = (lane: DueLane): boolean => {
    const hasSlot = isQuick(lane) ? hasQuickSlot(lane.accountId) : hasSlowSlot(lane.accountId)
    return hasSlot && hasRoom(lane) && hasRoomAtAddresses(lane)
  }

  return {
    queue,
    visits,
    addresses,
    tried,
    sending,
    areQuickSlotsBusy: () => sendingIn(true) + Math.max(0, settling() - lanes) >= lanes,
    limitOf,
    open: (host) => requestsAt(host),
    startable() {
      const oldest = new Map<string, DueLane>()
      for (const lane of queue) {
        const key = `${lane.accountId} ${lane.host} ${lane.slow}`
        const other = oldest.get(key)
        if (other === undefined || lane.dueAt < other.dueAt) oldest.set(key, lane)
      }
      return [...oldest.values()].filter(mayStart)
    },
    isQuick,
    mostOpen: ({ host }) => Math.max(limitOf(host).limit(), mayFindOut(host) ? requestsAt(host) + 1 : 0),
    offer(lane) {
      queue.push(lane)
      if (!order.includes(lane.accountId)) order.push(lane.accountId)
    },
    startLane(lane) {
      const { accountId } = lane
      queue.splice(queue.indexOf(lane), 1)
      order.splice(order.indexOf(accountId), 1)
      if (queue.some((other) => other.accountId === accountId)) order.push(accountId)
    },
    next: (lanes) => order.find((id) => lanes.some(({ accountId }) => accountId === id)),
    isLate(visit) {
      visit.isInQuickSlot = false
      if (visit.left === 0) return
      visit.isLate = true
      limitOf(visit.host).isLate()
    },
    ended(visit, end) {
      tried.add(visit.host)
      limitOf(visit.host).ended(end, requestsAt(visit.host))
      if (end.kind === 'good')
        for (const other of visits)
          if (other.host === visit.host && other.isLate && other.sentAt < end.startedAt) other.isSetAside = true
      visit.left--
    },
  }
}
