import { CallboardError } from '@callboard/core'

const MINUTE_MS = 60_000

export interface TestAllowanceOptions {
  /** The maximum number of tests that an account may start per minute. */
  readonly perMinute: number
  /** The maximum number of tests that an account may have in flight. */
  readonly atOnce: number
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
}

interface Used {
  underWay: number
  /** The start times of the tests of the last minute, oldest first. */
  began: number[]
}

/**
 * Limits the test events of each account. The account chooses the target, so without a limit it could use tests to
 * flood any host. Tests are counted in this process only.
 *
 * @returns a function to call before each test of an account. It throws `RATE_LIMITED` if the account has reached a
 *   limit. Otherwise it returns a function to call when the test has ended.
 */
export function createTestAllowance({
  perMinute,
  atOnce,
  elapsed,
}: TestAllowanceOptions): (accountId: string) => () => void {
  const accounts = new Map<string, Used>()

  const forgetOthers = (now: number): void => {
    for (const [accountId, { underWay, began }] of accounts)
      if (underWay === 0 && (began.at(-1) ?? 0) <= now - MINUTE_MS) accounts.delete(accountId)
  }

  return (accountId) => {
    const now = elapsed()
    forgetOthers(now)
    const used = accounts.get(accountId) ?? { underWay: 0, began: [] }
    used.began = used.began.filter((at) => at > now - MINUTE_MS)
    if (used.underWay >= atOnce)
      throw limited(`Too many test events at a time: the limit is ${atOnce}. Wait until one has finished.`, 1)
    const [first = now] = used.began
    if (used.began.length >= perMinute)
      throw limited(
        `Too many test events: the limit is ${perMinute} a minute. Try again later.`,
        Math.max(1, Math.ceil((first + MINUTE_MS - now) / 1000)),
      )
    used.began.push(now)
    used.underWay++
    accounts.set(accountId, used)
    return () => {
      used.underWay--
    }
  }
}

function limited(message: string, retryAfter: number): CallboardError {
  return new CallboardError('RATE_LIMITED', message, { retryAfter })
}
