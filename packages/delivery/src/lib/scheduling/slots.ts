import { createAccountShares } from './account-shares.ts'

export interface SlotsOptions {
  /** How many lanes with quick targets the worker may send to at the same time. */
  readonly lanes: number
  /** How many lanes with new, slow or failing targets the worker may send to at the same time. */
  readonly slowLanes: number
}

/**
 * The slots of a worker, which limit how many lanes it sends to at the same time. A visit to a lane takes one slot
 * while it sends: one of `lanes` quick slots if the target is quick, otherwise one of `slowLanes` slow slots. The
 * accounts share the slow slots (see `AccountShares.room`).
 *
 * If a quick target begins to hang, its visits become slow. If no slow slot is free, these visits keep their quick
 * slots. One account with hanging targets must not fill the whole worker, so an account may start a quick visit only
 * while it holds fewer slots than are free, counting both kinds.
 */
export interface Slots {
  /** How many quick slots are free. */
  quick(): number
  /** Whether the account may start another visit. */
  mayStart(accountId: string, isQuick: boolean): boolean
  /** Whether neither a quick slot nor a slow one is free. */
  areFull(): boolean
  /** Takes a slot. */
  takeSlot(accountId: string, isQuick: boolean): void
  /** Moves a visit that takes longer than expected from a quick slot to a slow one. */
  slowDown(accountId: string): void
  /** Frees a slot. */
  free(accountId: string, isQuick: boolean): void
  /** Counts visits that have sent everything and are being settled: +1 at the start, -1 at the end. */
  settling(change: 1 | -1): void
  /** How many visits are sending. */
  held(): number
}

export function createSlots({ lanes, slowLanes }: SlotsOptions): Slots {
  const all = createAccountShares()
  const slow = createAccountShares()
  let settling = 0
  const hold = (accountId: string, isQuick: boolean, change: 1 | -1): void => {
    all.change(accountId, change)
    if (!isQuick) slow.change(accountId, change)
  }
  // A visit that is being settled takes no slot. But if more than `lanes` visits are being settled, or more than
  // `slowLanes` visits are slow, each visit beyond that number takes a quick slot.
  const quick = (): number => {
    const held = all.total() - slow.total()
    return lanes - held - Math.max(0, settling - lanes) - Math.max(0, slow.total() - slowLanes)
  }
  return {
    quick,
    mayStart: (accountId, isQuick) =>
      isQuick
        ? quick() > 0 && all.room(accountId, lanes + slowLanes) > 0
        : settling < 2 * lanes && slow.room(accountId, slowLanes) > 0,
    areFull: () => quick() <= 0 && (settling >= 2 * lanes || slow.total() >= slowLanes),
    takeSlot: (accountId, isQuick) => hold(accountId, isQuick, 1),
    slowDown: (accountId) => slow.change(accountId, 1),
    free: (accountId, isQuick) => hold(accountId, isQuick, -1),
    settling(change) {
      settling += change
    },
    held: () => all.total(),
  }
}
