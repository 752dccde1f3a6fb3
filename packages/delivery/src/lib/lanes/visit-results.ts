import type { LeasedDelivery } from '@callboard/core/store'
import { type HeldLane, isAnswered, partOf, type Result, type SettlementRules } from './settlement-of.ts'
import type { Settler } from './settler.ts'

/**
 * How long an answer waits for the other answers of its visit before it is settled without them, in milliseconds. A
 * delivery that was answered and not settled is repeated if the worker dies. Quick targets answer all requests of a
 * visit within this time, and are settled once.
 */
const PART_MS = 20

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
    timer ??= setTimeout(() => {
      written = settlePart()
      // `unsettled` rejects with the error.
      written.catch(() => undefined)
    }, PART_MS)
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
