import type { LeasedDelivery } from '@callboard/core/store'
import { type HeldLane, isAnswered, partOf, type Result, type SettlementRules } from './settlement-of.ts'
import type { Settler } from './settler.ts'

/**
 * How long an answer waits for the other answers of its visit before it is settled without them, in milliseconds. A
 * delivery that was answered and not settled is repeated if the worker dies. Quick targets answer all requests of a
 * visit within this time, and are settled once.
 */
const PART_MS = 20
/**
 * How long it waits while the worker is busy. Answers then queue in the worker, so those of quick targets are spread
 * too. With `PART_MS`, a drain wrote 0.6 to 0.9 parts a visit, and with this time 0.3; each takes 40 to 90 µs.
 */
const BUSY_PART_MS = 60
/**
 * The worker is busy if its last batch of settlements recorded this many attempts. In a drain, a batch records 110 on
 * average. With 50 slow targets, 99 of 100 batches record less than 45.
 */
const BUSY_ATTEMPTS = 64

/** What is left to settle at the end of a visit. */
export interface Unsettled {
  readonly lane: HeldLane
  readonly results: readonly Result[]
  /** The results of the whole visit. */
  readonly all: readonly Result[]
}

/** The results of one visit, some of which are settled while requests are open. */
export interface VisitResults {
  add(result: Result): void
  /**
   * What is left to settle once all requests have ended. Undefined if a part could not be written: the lease has
   * expired by then, or nothing of the visit can be written.
   */
  unsettled(): Promise<Unsettled | undefined>
}

/** `sent` has a result for each delivery, which is `OPEN` until `add` replaces it. */
export function createVisitResults(
  lane: HeldLane,
  sent: readonly Result[],
  { settler, rules }: { readonly settler: Settler; readonly rules: SettlementRules },
): VisitResults {
  const left = new Map<LeasedDelivery, Result>(sent.map((each) => [each.delivery, each]))
  const settled: Result[] = []
  let rest = lane
  let written = Promise.resolve(true)
  /** Stays set while a part is written, because a batch of settlements may have only one of a lane. */
  let timer: ReturnType<typeof setTimeout> | undefined

  const settlePart = async (): Promise<boolean> => {
    const part = partOf(rest, [...left.values()], rules)
    rest = part.rest
    for (const [delivery, result] of left) {
      if (rest.deliveries.includes(delivery)) continue
      left.delete(delivery)
      settled.push(result)
    }
    if (!(await settler.settle(part.settlement))) return false
    timer = undefined
    if ([...left.values()].some(({ result }) => isAnswered(result))) expectPart()
    return true
  }
  const expectPart = (): void => {
    const isBusy = settler.lastRecorded() >= BUSY_ATTEMPTS
    timer ??= setTimeout(
      () => {
        written = settlePart()
        // `unsettled` rejects with the error.
        written.catch(() => undefined)
      },
      isBusy ? BUSY_PART_MS : PART_MS,
    )
  }

  return {
    add(result) {
      left.set(result.delivery, result)
      if (isAnswered(result.result)) expectPart()
    },
    async unsettled() {
      if (!(await written)) return undefined
      clearTimeout(timer)
      const results = [...left.values()]
      return { lane: rest, results, all: [...settled, ...results] }
    },
  }
}
