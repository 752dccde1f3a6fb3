import type { HeldBackHost, LearntLimits } from '@callboard/core/store'
import { type AccountShares, createAccountShares } from './account-shares.ts'
import {
  createHostLimit,
  FIRST_LIMIT,
  HIGH,
  type HostLimit,
  type HostLimitOptions,
  type RequestEnd,
} from './host-limit.ts'

/** A worker reports the limits of at most this many hosts, the highest ones. */
const MOST_LIMITS = 50
/** How many hosts to remember. Hosts with open requests or a running lookup are never forgotten. */
const MOST_HOSTS = 10_000
/**
 * How many requests may be open at one address, counting only requests to hosts that were never tried (see `wasTried`).
 */
const PER_ADDRESS = 16
/** A host's name is looked up before the first request to the host. This many lookups may run at the same time. */
const LOOKUPS = 32

export interface HostsOptions extends HostLimitOptions {
  /**
   * Looks up the addresses of a host that was never tried. Such hosts share a limit if they have an address in common;
   * otherwise an account could use many names to flood one machine. If undefined, no limit is shared.
   */
  readonly addressesOf: ((host: string) => Promise<readonly string[]>) | undefined
  /** Called when the lookup of a host has ended: the host's lanes may start now. */
  readonly onKnown: () => void
}

/** The hosts that this worker sends to, each with its limit and its open requests. */
export interface Hosts {
  /** How many more requests this account may open at this host now. */
  room(accountId: string, host: string): number
  /**
   * Whether the limits leave no room for a request of this account at this host. Unlike `room`, ignores a missing
   * lookup and never starts one.
   */
  holdsBack(accountId: string, host: string): boolean
  isQuick(host: string): boolean
  /** Opens requests to this host. */
  open(accountId: string, host: string, requests: number): OpenRequests
  /** How many requests the worker sends the host at a time, and the reason for this limit. */
  describe(host: string): Pick<HeldBackHost, 'limit' | 'reason'>
  /** The hosts that have at least one open request, and room for fewer than `requests` more. */
  busy(requests: number): string[]
  /** The highest limits, at most `MOST_LIMITS`, for other workers to learn. */
  limits(): LearntLimits
  /**
   * Takes over what other workers have learnt: if this worker does not know one of these hosts, its limit begins at
   * half of the given one. The host counts as tried, so it needs no lookup.
   */
  learn(limits: LearntLimits): void
}

/** The open requests of one visit to a lane. A visit lasts from the lane's lease until its settlement. */
export interface OpenRequests {
  /** Sets the time at which the requests were sent, in monotonic milliseconds. */
  sentAt(time: number): void
  /** Records that the requests have been open for longer than `patienceMs`. */
  isLate(): void
  /** Records that one request has ended. `end` is undefined if the request tells nothing about the host. */
  ended(end: RequestEnd | undefined): void
  /** Ends all but this many requests. The ended requests tell nothing about the host. */
  closeAllBut(requests: number): void
}

interface LateRequests {
  readonly sentAt: number
  /**
   * Stops counting the requests, because the host has answered a later one. Otherwise one path that hangs would block
   * all other paths of its host.
   */
  setAside(): void
}

interface Host {
  readonly limit: HostLimit
  /** The open requests of each account, without those that were set aside. */
  readonly open: AccountShares
  /** The late requests among `open`. */
  readonly late: Set<LateRequests>
  lateRequests: number
  /** Undefined until the lookup has ended. */
  addresses: readonly string[] | undefined
  isLookingUp: boolean
  /** Whether a request has ended and told something about the host. */
  wasTried: boolean
}

export function createHosts(options: HostsOptions): Hosts {
  const { addressesOf, onKnown } = options
  const hosts = new Map<string, Host>()
  const withOpen = new Map<string, Host>()
  /** The open requests to hosts that were never tried, counted for each address. */
  const untried = new Map<string, AccountShares>()
  const lookups = createAccountShares()
  const learnt = new Map<string, number>()

  const create = (first?: number): Host => ({
    limit: createHostLimit(options, first),
    open: createAccountShares(),
    late: new Set(),
    lateRequests: 0,
    addresses: addressesOf === undefined || first !== undefined ? [] : undefined,
    isLookingUp: false,
    wasTried: false,
  })

  /**
   * Used for every host that the worker does not remember. If a waiting lane added its host instead, the worker might
   * have to forget another host. Never changes.
   */
  const unknown = create()

  /** Makes a host the most recently used one. If there are too many hosts, forgets the least recently used one. */
  const use = (name: string): Host => {
    const host = hosts.get(name) ?? create(learnt.get(name))
    learnt.delete(name)
    hosts.delete(name)
    hosts.set(name, host)
    if (hosts.size > MOST_HOSTS) {
      for (const [oldest, { open, isLookingUp }] of hosts) {
        if (open.total() > 0 || isLookingUp) continue
        hosts.delete(oldest)
        break
      }
    }
    return host
  }

  const countUntried = ({ addresses = [] }: Host, accountId: string, by: number): void => {
    for (const address of addresses) {
      const open = untried.get(address) ?? createAccountShares()
      open.change(accountId, by)
      if (open.total() > 0) untried.set(address, open)
      else untried.delete(address)
    }
  }

  /** Marks the host as tried, so its open requests no longer count at its addresses. */
  const markTried = (host: Host): void => {
    for (const [accountId, requests] of host.open.entries()) countUntried(host, accountId, -requests)
    host.wasTried = true
  }

  const lookUp = (accountId: string, name: string): void => {
    if (addressesOf === undefined || lookups.room(accountId, LOOKUPS) === 0) return
    const host = use(name)
    host.isLookingUp = true
    lookups.change(accountId, 1)
    const known = (addresses: readonly string[]): void => {
      lookups.change(accountId, -1)
      host.isLookingUp = false
      host.addresses = addresses
      if (!host.wasTried) for (const [other, requests] of host.open.entries()) countUntried(host, other, requests)
      onKnown()
    }
    // A failed lookup is ignored here, because the attempt looks the name up again and reports the failure.
    addressesOf(name).then(known, () => known([]))
  }

  /** How many more requests the host's limit allows the account to open. */
  const roomAt = (accountId: string, { limit, open, lateRequests }: Host): number => {
    const free = limit.limit() - open.total()
    if (limit.isQuick()) return free
    // One lane gets half of its account's share, so that another lane of the account finds room as well.
    const room = Math.ceil(Math.min(free, open.room(accountId, limit.limit())) / 2)
    if (room > 0) return room
    // If all open requests are late, one more request is allowed, to find out whether the host answers other requests.
    return open.total() === lateRequests && open.total() < 2 * limit.limit() ? 1 : 0
  }

  /** How many more requests are allowed by the host and, if it was never tried, by its addresses. */
  const roomFor = (accountId: string, host: Host): number => {
    const room = Math.max(0, roomAt(accountId, host))
    if (host.wasTried || host.addresses === undefined) return room
    const rooms = host.addresses.map((address) => untried.get(address)?.room(accountId, PER_ADDRESS) ?? PER_ADDRESS)
    return Math.min(room, ...rooms)
  }

  return {
    room(accountId, name) {
      const host = hosts.get(name) ?? (learnt.has(name) ? use(name) : unknown)
      const room = roomFor(accountId, host)
      if (room === 0 || host.wasTried || host.addresses !== undefined) return room
      if (!host.isLookingUp) lookUp(accountId, name)
      return 0
    },
    holdsBack(accountId, name) {
      const host = hosts.get(name)
      return host !== undefined && roomFor(accountId, host) === 0
    },
    isQuick: (name) => hosts.get(name)?.limit.isQuick() ?? false,
    open(accountId, name, requests) {
      const host = use(name)
      withOpen.set(name, host)
      if (!host.wasTried) countUntried(host, accountId, requests)
      host.open.change(accountId, requests)
      let left = requests
      let sentAt = Number.POSITIVE_INFINITY
      let late: LateRequests | undefined
      let counts = true

      const ended = (end: RequestEnd | undefined): void => {
        if (left === 0) return
        left--
        if (!host.wasTried) {
          if (end === undefined) countUntried(host, accountId, -1)
          else markTried(host)
        }
        if (end !== undefined) host.limit.ended(end, host.open.total())
        if (counts) {
          host.open.change(accountId, -1)
          if (late !== undefined) host.lateRequests--
        }
        if (left === 0 && late !== undefined) host.late.delete(late)
        // This may set aside the remaining requests of this visit, so `left` must no longer count the one that has
        // ended.
        if (end?.kind === 'good') for (const each of host.late) if (each.sentAt < end.startedAt) each.setAside()
        // If all requests to the host were set aside, the worker may have forgotten the host and created another `Host`
        // with its name.
        if (host.open.total() === 0 && withOpen.get(name) === host) withOpen.delete(name)
      }

      return {
        sentAt(time) {
          sentAt = time
        },
        isLate() {
          if (left === 0 || late !== undefined) return
          host.limit.isLate()
          host.lateRequests += left
          late = {
            sentAt,
            setAside() {
              counts = false
              host.late.delete(this)
              host.lateRequests -= left
              host.open.change(accountId, -left)
            },
          }
          host.late.add(late)
        },
        ended,
        closeAllBut(rest) {
          while (left > rest) ended(undefined)
        },
      }
    },
    describe(name) {
      const { limit, wasTried } = hosts.get(name) ?? unknown
      const reason = wasTried ? (limit.isQuick() ? 'full' : 'failing') : 'new'
      return { limit: limit.limit(), reason }
    },
    limits: () =>
      [...hosts]
        .map(([name, { limit }]) => [name, limit.limit()] as const)
        .filter(([, limit]) => limit > HIGH)
        .sort(([, a], [, b]) => b - a)
        .slice(0, MOST_LIMITS),
    learn(limits) {
      if (learnt.size > MOST_HOSTS) learnt.clear()
      for (const [name, limit] of limits) {
        if (!hosts.has(name)) learnt.set(name, Math.max(learnt.get(name) ?? FIRST_LIMIT, Math.ceil(limit / 2)))
      }
    },
    busy: (requests) =>
      [...withOpen].flatMap(([name, { limit, open }]) => (limit.limit() - open.total() < requests ? [name] : [])),
  }
}
