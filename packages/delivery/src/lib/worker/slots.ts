/** How many visits per slot may be overdue (see `patienceMs`) at the same time. An overdue visit occupies no slot. */
const WAITING_PER_SLOT = 4

export interface SlotsOptions {
  readonly slots: number
  /** Whether these are the slots for lanes whose targets are slow or failing. */
  readonly slow: boolean
  /** A visit that takes longer than this, in milliseconds, is overdue and releases its slot. */
  readonly patienceMs: number
  /** Called when a worker can lease more lanes: a slot has become free after all were taken, or a visit was settled. */
  readonly onFree: () => void
}

/**
 * Slots for lane visits. A visit that is overdue (see `patienceMs`) goes on without a slot, so a host that starts to
 * hang delays other lanes only briefly, however many lanes lead to it. Overdue visits need sockets and memory, so their
 * number is limited, and at most half of them may belong to one account.
 */
export interface Slots {
  readonly slow: boolean
  free(): number
  /** How many visits are sending, including overdue ones. */
  held(): number
  /**
   * The accounts that have as many overdue visits as one account may have. Their lanes are not leased until some of
   * those visits have ended.
   */
  crowding(): readonly string[]
  /** Reserves this many free slots for lanes that are about to be leased; a negative number releases them. */
  keep(lanes: number): void
  /**
   * Runs a visit in a slot. The visit calls `onSent` when it has sent everything, which releases its slot before it is
   * settled.
   */
  occupy(accountId: string, visit: (onSent: () => void) => Promise<void>): Promise<void>
}

export function createSlots({ slots, slow, patienceMs, onFree }: SlotsOptions): Slots {
  const mostOfOne = (WAITING_PER_SLOT * slots) / 2
  let held = 0
  let settling = 0
  let overdue = 0
  let kept = 0
  const overdueOf = new Map<string, number>()
  const count = (accountId: string, change: 1 | -1): void => {
    overdue += change
    const left = (overdueOf.get(accountId) ?? 0) + change
    if (left > 0) overdueOf.set(accountId, left)
    else overdueOf.delete(accountId)
  }
  // A visit that is being settled occupies no slot. But if settling is so slow that more visits are being settled than
  // there are slots, each further one does occupy a slot.
  const free = (): number =>
    slots - held - kept + Math.min(overdue, WAITING_PER_SLOT * slots) - Math.max(0, settling - slots)
  return {
    slow,
    free,
    held: () => held,
    crowding: () => [...overdueOf].flatMap(([accountId, waiting]) => (waiting >= mostOfOne ? [accountId] : [])),
    keep(lanes) {
      kept += lanes
    },
    async occupy(accountId, visit) {
      held++
      let late = false
      const timer = setTimeout(() => {
        late = true
        const wasFull = free() <= 0
        count(accountId, 1)
        if (wasFull) onFree()
      }, patienceMs)
      let sent = false
      const leave = (): void => {
        if (sent) return
        sent = true
        clearTimeout(timer)
        const wasFull = free() <= 0
        held--
        settling++
        if (late) count(accountId, -1)
        if (wasFull) onFree()
      }
      await visit(leave)
      leave()
      settling--
      onFree()
    },
  }
}
