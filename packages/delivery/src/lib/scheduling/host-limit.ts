/** How many requests may be open at a host that was never tried. */
export const FIRST_LIMIT = 4
/** The lowest limit. If a request to one target hangs, a second request can still go to another target of the host. */
const LOWEST_LIMIT = 2
/** The limit falls while more than this share of the recent requests was overload. */
const TOO_MUCH = 1 / 16
/** The limit stops rising fast once this share of the recent requests was overload. */
const FIRST_SIGN = 1 / 8
/** From here on, the limit rises by an eighth per round and is worth telling other workers; below, it rises by one. */
export const HIGH = 16
/**
 * Answers are late if their recent average time is more than this many times the host's usual one. Single answers are
 * not judged, because the slowest paths of a shared host would then lower the limit for its quick ones.
 */
const LATE = 2
/** The weight of an answer in the recent average. */
const RECENT = 0.1
/** The usual average covers ten rounds, but at least this many answers. */
const USUAL = 200

export interface HostLimitOptions {
  /** The limit's upper bound. */
  readonly perHost: number
  /** Answers within this time, in milliseconds, are quick. */
  readonly patienceMs: number
}

/** The end of one request, by which its host is judged. */
export interface RequestEnd {
  /**
   * `good`: the host answered with a status below 500 other than 429. `overload`: the failure is one of an overloaded
   * host. `neutral`: the failure says nothing about how many requests the host can take.
   */
  readonly kind: 'good' | 'overload' | 'neutral'
  /** Whether the request's lane was already failing before this request. */
  readonly expectedToFail: boolean
  /** In monotonic milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
}

/** How many requests a worker may have open at one host, learnt from the host's answers. */
export interface HostLimit {
  /** The number of requests that may be open at once. */
  limit(): number
  /** Whether the host's last good answer was quick and, since then, no request has been late or ended as overload. */
  isQuick(): boolean
  /** Records that a request has been open for longer than `patienceMs`. */
  isLate(): void
  /** Records the end of a request. `open` is the number of open requests, including this one. */
  ended(end: RequestEnd, open: number): void
}

/**
 * Learns the limit from the share of overload among the recent requests, a moving average over about as many requests
 * as the limit. While that share is high, each request that ends lowers the limit in proportion to it. While it is low,
 * each one raises the limit: by half per round (as many requests as the limit) until the first sign of overload, and
 * more slowly after that. A failure now and then costs nothing, however many requests there are (decision 017).
 *
 * The limit rises only while at least a quarter of it is in use, so it is at most about four times the number of
 * requests that were open at the same time.
 */
export function createHostLimit({ perHost, patienceMs }: HostLimitOptions, first: number = FIRST_LIMIT): HostLimit {
  let limit = Math.min(first, perHost)
  let overload = 0
  let isFirstRise = true
  /** How many requests have ended as overload since the last good answer. */
  let sinceGood = Number.POSITIVE_INFINITY
  let quick = false
  let recentMs = 0
  let usualMs = 0

  return {
    limit: () => Math.floor(limit),
    isQuick: () => quick,
    isLate() {
      quick = false
    },
    ended({ kind, expectedToFail, startedAt, endedAt }, open) {
      if (kind === 'neutral') return
      sinceGood = kind === 'good' ? 0 : sinceGood + 1
      // If the host answers other lanes, a lane that keeps failing says nothing about the host. Otherwise one path that
      // always fails would slow down everybody at a shared host.
      if (kind === 'overload' && expectedToFail && sinceGood <= limit) return
      const tookMs = endedAt - startedAt
      if (kind === 'good') {
        usualMs = usualMs === 0 ? tookMs : usualMs + (tookMs - usualMs) / Math.max(USUAL, 10 * limit)
        recentMs = recentMs === 0 ? tookMs : recentMs + (tookMs - recentMs) * RECENT
      }
      quick = kind === 'good' && tookMs <= patienceMs
      const isOverload = kind === 'overload' || recentMs > Math.max(patienceMs, LATE * usualMs)
      overload += (Number(isOverload) - overload) / Math.max(2 * FIRST_LIMIT, limit)
      if (overload > FIRST_SIGN) isFirstRise = false
      if (overload > TOO_MUCH) limit = Math.max(Math.min(LOWEST_LIMIT, perHost), limit - overload / 4)
      // A single lane may use only a quarter of a slow host's limit, so a quarter must be enough for the limit to rise.
      else if (open >= Math.floor(limit) / 4)
        limit = Math.min(perHost, limit + (isFirstRise ? 1 / 2 : limit < HIGH ? 1 / limit : 1 / 8))
    },
  }
}
