import { CallboardError } from '../errors.ts'

const SECOND_MS = 1000

/** How many events an account has left, in thousandths of an event, and when they were counted. */
interface Bucket {
  readonly left: number
  readonly at: number
}

/**
 * Limits the events that each account publishes in a second, with a token bucket in this process. The bucket holds the
 * events of one second.
 *
 * A bucket counts in thousandths of an event, so that a whole number of milliseconds refills it by a whole number.
 * Otherwise rounding could refuse a caller that waited for exactly `retryAfterMs`.
 *
 * @returns a function that takes one event from the bucket of each given account, or takes nothing and throws
 *   `PUBLISH_LIMIT_REACHED`.
 */
export function createPublishLimit(perSecond: number, now: () => number): (accountIds: readonly string[]) => void {
  /** Buckets in the order in which events were last taken from them, the least recent first. */
  const buckets = new Map<string, Bucket>()
  const full = perSecond * SECOND_MS

  /** An absolute value, so that an account is not refused for an hour when the clock is set back by an hour. */
  const since = (at: number, time: number): number => Math.abs(time - at)

  const forgetFull = (time: number): void => {
    for (const [accountId, { at }] of buckets) {
      if (since(at, time) < SECOND_MS) return
      buckets.delete(accountId)
    }
  }

  return (accountIds) => {
    const time = now()
    forgetFull(time)
    const wanted = new Map<string, number>()
    for (const accountId of accountIds) wanted.set(accountId, (wanted.get(accountId) ?? 0) + 1)
    const rest = [...wanted].map(([accountId, events]) => {
      if (events > perSecond) throw tooLarge(events, perSecond)
      const { left, at } = buckets.get(accountId) ?? { left: full, at: time }
      return { accountId, left: Math.min(full, left + since(at, time) * perSecond) - events * SECOND_MS }
    })
    const least = rest.reduce((lowest, { left }) => Math.min(lowest, left), full)
    if (least < 0) throw reached(perSecond, Math.ceil(-least / perSecond))
    for (const { accountId, left } of rest) {
      buckets.delete(accountId)
      buckets.set(accountId, { left, at: time })
    }
  }
}

/** This error has no `retryAfterMs`, because waiting does not help. */
function tooLarge(events: number, perSecond: number): CallboardError {
  return new CallboardError(
    'PUBLISH_LIMIT_REACHED',
    `publishMany cannot publish ${events} events of one account at once, because its limit is ${inWords(perSecond)}. ` +
      'Publish them in smaller batches.',
  )
}

function reached(perSecond: number, retryAfterMs: number): CallboardError {
  return new CallboardError(
    'PUBLISH_LIMIT_REACHED',
    `The account has reached its limit of ${inWords(perSecond)}. Try again in ${retryAfterMs} ms.`,
    { retryAfterMs },
  )
}

function inWords(perSecond: number): string {
  return `${perSecond} ${perSecond === 1 ? 'event' : 'events'} a second`
}
