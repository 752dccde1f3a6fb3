/** Visits that have used up their patience and take no slot, for each slot that there is. */
const WAITING_PER_SLOT = 4

export interface SlotsOptions {
  readonly slots: number
  /** For lanes of slow and failing targets. */
  readonly slow: boolean
  /** A visit that takes longer, in milliseconds, leaves its slot to others. */
  readonly patienceMs: number
  /** There may be more to lease: a slot has become free where none was, or a visit is written down, whose lane may have more. */
  readonly onFree: () => void
}

/**
 * Places for lane visits. One that outlasts the patience waits for its target outside the slots, so that a host that hangs for
 * the first time, in however many lanes, keeps those of others from being visited for a moment only. How many wait is bounded, as
 * sockets and memory are, and no account takes all of those places.
 */
export interface Slots {
  readonly slow: boolean
  free(): number
  /** Visits that are sending, those that wait included. */
  held(): number
  /** Accounts whose visits take half of the places for waiting: they get no more until some have ended. */
  crowding(): readonly string[]
  /** Keeps so many that are free for lanes that are being asked for; fewer than none gives them back. */
  keep(lanes: number): void
  /** A visit that has sent what it had says so, and leaves its slot before that is written down. */
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
  // Where writing down is slower than sending, no more than as many again are under way.
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
