import { CallboardError } from '@callboard/core'

const MINUTE_MS = 60_000

export interface TestAllowanceOptions {
  /** The maximum number of tests that an account may start per minute. */
  readonly perMinute: number
  /** The maximum number of tests that an account may have in flight. */
  readonly atOnce: number
  /** The maximum number of tests that all accounts together may send to a host per minute. */
  readonly perHostAndMinute: number
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
}

/**
 * Limits the test events of each account, and those to each host. An account chooses its targets, and whoever has many
 * accounts could otherwise use tests to flood any host. Tests are counted in this process only.
 *
 * @returns a function to call before each test. It throws `RATE_LIMITED` if the account or the host has reached a limit.
 *   Otherwise it returns a function to call when the test has ended.
 */
export function createTestAllowance({
  perMinute,
  atOnce,
  perHostAndMinute,
  elapsed,
}: TestAllowanceOptions): (accountId: string, host: string) => () => void {
  const accounts = createMinutes(perMinute)
  const hosts = createMinutes(perHostAndMinute)
  const underWay = new Map<string, number>()

  return (accountId, host) => {
    const now = elapsed()
    const running = underWay.get(accountId) ?? 0
    if (running >= atOnce)
      throw limited(`Too many test events at a time: the limit is ${atOnce}. Wait until one has finished.`, 1)
    const retryAfter = accounts.untilRoom(accountId, now)
    if (retryAfter > 0)
      throw limited(`Too many test events: the limit is ${perMinute} a minute. Try again later.`, retryAfter)
    const retryHostAfter = hosts.untilRoom(host, now)
    if (retryHostAfter > 0)
      throw limited(
        `Too many test events to this host: the limit is ${perHostAndMinute} a minute. Try again later.`,
        retryHostAfter,
      )
    accounts.add(accountId, now)
    hosts.add(host, now)
    underWay.set(accountId, running + 1)
    return () => {
      const left = (underWay.get(accountId) ?? 1) - 1
      if (left > 0) underWay.set(accountId, left)
      else underWay.delete(accountId)
    }
  }
}

interface Minutes {
  /** Seconds until another test may start; 0 if it may start now. */
  untilRoom(key: string, now: number): number
  add(key: string, now: number): void
}

/** Counts the tests of the last minute for each key. It forgets keys that have had none. */
function createMinutes(limit: number): Minutes {
  /** The start times, oldest first. */
  const began = new Map<string, number[]>()
  return {
    untilRoom(key, now) {
      for (const [each, times] of began) {
        const recent = times.filter((at) => at > now - MINUTE_MS)
        if (recent.length > 0) began.set(each, recent)
        else began.delete(each)
      }
      const times = began.get(key) ?? []
      const [first = now] = times
      return times.length < limit ? 0 : Math.max(1, Math.ceil((first + MINUTE_MS - now) / 1000))
    },
    add(key, now) {
      began.set(key, [...(began.get(key) ?? []), now])
    },
  }
}

function limited(message: string, retryAfter: number): CallboardError {
  return new CallboardError('RATE_LIMITED', message, { retryAfter })
}
