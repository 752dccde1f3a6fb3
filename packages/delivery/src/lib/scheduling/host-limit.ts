/** How many requests may be open at a host that has never answered. */
export const FIRST_LIMIT = 4
/** The lowest limit. If a request to one target hangs, a second request can still go to another target of the host. */
const LOWEST_LIMIT = 2
const DECREASE = 0.75
/**
 * Answers count as slower than usual when their recent average time is more than this many times their usual average
 * time.
 */
const GROWTH = 2
/** The weights of a new answer in the recent and in the usual average of the answer times. */
const RECENT = 0.2
const USUAL = 0.005

export interface HostLimitOptions {
  /** The limit's upper bound. */
  readonly perHost: number
  /** Answers within this time, in milliseconds, are quick. */
  readonly patienceMs: number
}

/** The end of one request, by which its host is judged. */
export interface RequestEnd {
  /** Whether the host coped: it answered with a status other than 429 and 5xx. */
  readonly coped: boolean
  /** Whether an answer arrived at all. */
  readonly answered: boolean
  /**
   * Whether the request's lane was already failing before this request. If it was, another failure says nothing new
   * about the host.
   */
  readonly expectedToFail: boolean
  /** In monotonic milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
}

/** How many requests one host can take at a time, learnt from its answers. */
export interface HostLimit {
  /** The number of requests that may be open at once. */
  limit(): number
  /** Whether the host has ever answered. */
  hasAnswered(): boolean
  /**
   * Whether the host's last good answer was quick and, since then, no request has been late, or failed in a way that
   * counts against the host.
   */
  isQuick(): boolean
  /** Records that a request has been open for longer than `patienceMs`. */
  isLate(): void
  /** Records the end of a request. `open` is the number of open requests, including this one. */
  ended(end: RequestEnd, open: number): void
}

/**
 * Learns the limit by additive increase and multiplicative decrease, as TCP does (RFC 5681). A round is as many answers
 * as the limit allows requests. The limit doubles with each round until the first sign of overload, and rises by one
 * per round after that. Signs of overload are failures, and answers that have become much slower than usual. A round
 * lowers the limit at most once, however many of its requests fail.
 *
 * The limit rises only while at least a quarter of it is in use, so it is at most about four times the number of
 * requests that were open at the same time.
 */
export function createHostLimit({ perHost, patienceMs }: HostLimitOptions): HostLimit {
  let limit = Math.min(FIRST_LIMIT, perHost)
  let slowStartUntil = perHost
  let decreasedAt = Number.NEGATIVE_INFINITY
  let coped = false
  let answered = false
  let quick = false
  let recentMs = 0
  let usualMs = 0

  const decrease = (startedAt: number, endedAt: number): void => {
    // A request that started before the last decrease belongs to the round that caused that decrease.
    if (startedAt < decreasedAt) return
    limit = Math.max(Math.min(LOWEST_LIMIT, perHost), limit * DECREASE)
    slowStartUntil = limit
    decreasedAt = endedAt
    coped = false
  }

  const increase = (open: number): void => {
    // A single lane may use only a quarter of a slow host's limit, so a quarter must be enough for the limit to rise.
    if (open < Math.floor(limit) / 4) return
    limit = Math.min(perHost, limit + (limit < slowStartUntil ? 1 : 1 / limit))
  }

  return {
    limit: () => Math.floor(limit),
    hasAnswered: () => answered,
    isQuick: () => quick,
    isLate() {
      quick = false
    },
    ended(end, open) {
      const tookMs = end.endedAt - end.startedAt
      if (end.answered) answered = true
      if (!end.coped) {
        // If the host answers other lanes, a lane that keeps failing says nothing about the host.
        if (end.expectedToFail && coped) return
        quick = false
        return decrease(end.startedAt, end.endedAt)
      }
      coped = true
      usualMs = usualMs === 0 ? tookMs : usualMs + (tookMs - usualMs) * USUAL
      recentMs = recentMs === 0 ? tookMs : recentMs + (tookMs - recentMs) * RECENT
      quick = tookMs <= patienceMs
      if (recentMs > patienceMs && recentMs > GROWTH * usualMs) decrease(end.startedAt, end.endedAt)
      else increase(open)
    },
  }
}
