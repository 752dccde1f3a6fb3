/** Visits that have used up their patience and take no slot, for each slot that there is. */
const WAITING_PER_SLOT = 4

export interface SlotsOptions {
  readonly slots: number
  /** For lanes of slow and failing targets. */
  readonly slow: boolean
  /** A visit that takes longer, in milliseconds, leaves its slot to others. */
  readonly patienceMs: number
  /** A slot has become free. */
  readonly onFree: () => void
}

/**
 * Places for lane visits. One that outlasts the patience waits for its target outside the slots, so that a host that hangs for
 * the first time, in however many lanes, keeps those of others from being visited for a moment only. How many wait is bounded, as
 * sockets and memory are.
 */
export interface Slots {
  readonly slow: boolean
  free(): number
  /** Visits under way, those that wait included. */
  held(): number
  occupy(visit: Promise<void>): Promise<void>
}

export function createSlots({ slots, slow, patienceMs, onFree }: SlotsOptions): Slots {
  let held = 0
  let overdue = 0
  return {
    slow,
    free: () => slots - held + Math.min(overdue, WAITING_PER_SLOT * slots),
    held: () => held,
    async occupy(visit) {
      held++
      let late = false
      const timer = setTimeout(() => {
        late = true
        overdue++
        onFree()
      }, patienceMs)
      await visit
      clearTimeout(timer)
      held--
      if (late) overdue--
      onFree()
    },
  }
}
