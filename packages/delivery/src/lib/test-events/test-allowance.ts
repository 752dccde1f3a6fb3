import { CallboardError } from '@callboard/core'

const MINUTE_MS = 60_000

export interface TestAllowanceOptions {
  /** Tests of an account in any minute at most. */
  readonly perMinute: number
  /** Tests of an account under way at most. */
  readonly atOnce: number
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
}

interface Used {
  underWay: number
  /** When those of the last minute began, oldest first. */
  began: number[]
}

/**
 * Lets so many tests of an account begin: a test goes wherever the account says, so that nobody is to be flooded by way of it. Counted in
 * this process.
 *
 * @returns begins a test of an account, and returns how to say that it has ended. Throws `RATE_LIMITED`.
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
      throw limited(`Only ${atOnce} test events at a time: wait for the answer to the one before.`, 1)
    const [first = now] = used.began
    if (used.began.length >= perMinute)
      throw limited(
        `Only ${perMinute} test events a minute: try again a little later.`,
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
