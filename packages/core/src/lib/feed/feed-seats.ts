import { CallboardError } from '../errors.ts'
import type { Caller } from '../ports/admission-store.ts'

/** The most calls that wait at the same time in a process, including streams. */
const FEED_SEATS: { readonly key: number; readonly account: number } = { key: 4, account: 50 }
/** When a caller without a seat should try again, in seconds. */
const RETRY_AFTER_SECONDS = 10
/** The least time between two full pages of a key: 20 pages, or 2,000 events, a second. */
const PACE_MS = 50

/** The right of a call to wait. */
export interface Seat {
  /** How long to wait before the next page, in milliseconds, when more pages are there than can be sent at once. */
  paceMs(): number
  leave(): void
}

export interface FeedSeats {
  /** Throws `RATE_LIMITED` if too many calls of the key or account wait. */
  enter(caller: Pick<Caller, 'keyId' | 'account'>): Seat
}

interface Held {
  seats: number
  nextPageAt: number
}

/** @param elapsed the time now, in monotonic milliseconds. */
export function createFeedSeats(elapsed: () => number): FeedSeats {
  const holders = new Map<string, Held>()
  return {
    enter({ keyId, account }) {
      const ids = { key: `key ${keyId}`, account: `account ${account.id}` }
      for (const owner of ['key', 'account'] as const)
        if ((holders.get(ids[owner])?.seats ?? 0) >= FEED_SEATS[owner])
          throw new CallboardError(
            'RATE_LIMITED',
            `This ${owner} already has ${FEED_SEATS[owner]} calls that wait for events. End one of them first.`,
            { retryAfter: RETRY_AFTER_SECONDS },
          )
      const held = [ids.key, ids.account].map((id) => {
        const holder = holders.get(id) ?? { seats: 0, nextPageAt: 0 }
        holder.seats += 1
        holders.set(id, holder)
        return { id, holder }
      })
      let isOpen = true
      return {
        paceMs() {
          const [key] = held
          const now = elapsed()
          const at = Math.max(now, key?.holder.nextPageAt ?? 0)
          if (key !== undefined) key.holder.nextPageAt = at + PACE_MS
          return at - now
        },
        leave() {
          if (!isOpen) return
          isOpen = false
          for (const { id, holder } of held) {
            holder.seats -= 1
            if (holder.seats === 0) holders.delete(id)
          }
        },
      }
    },
  }
}
