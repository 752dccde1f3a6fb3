import fc from 'fast-check'
import { describe, it } from 'vitest'
import { runSteps } from './run-steps.ts'
import { step } from './steps.ts'
import type { ModelFixture } from './world.ts'

export interface ModelOptions {
  /** How many lists of steps are made up and done, each on a store of its own. */
  readonly runs: number
  /** Steps of a list at most; 80 by default. */
  readonly steps?: number | undefined
}

/** Time for the runs, a failure's shrinking included. */
const LIMIT_MS = 240_000

/**
 * Lists of steps made up at random (publish, subscribe, lease, settle, crash, advance …), done on the store and in a model
 * of what the ports promise. What differs is reported as the shortest list that shows it. The seed is printed;
 * `MODEL_SEED` and `MODEL_PATH` do one again.
 */
export function describeModel(
  name: string,
  factory: () => Promise<ModelFixture>,
  { runs, steps = 80 }: ModelOptions,
): void {
  describe(`a store beside its model: ${name}`, () => {
    it(`does as the model does, in ${runs} lists of steps`, { timeout: 2 * LIMIT_MS }, async () => {
      const seed = Number(process.env['MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
      const path = process.env['MODEL_PATH']
      console.info(`model beside ${name}: ${runs} runs, MODEL_SEED=${seed}`)
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: steps, size: 'max' }), async (list) => {
          const fixture = await factory()
          try {
            await runSteps(fixture, list)
          } finally {
            await fixture.cleanup()
          }
        }),
        {
          numRuns: runs,
          seed,
          ...(path === undefined ? {} : { path }),
          // A failure is told as short as it got by then, and a machine that is too slow for the runs says so.
          interruptAfterTimeLimit: LIMIT_MS,
          markInterruptAsFailure: true,
        },
      )
    })
  })
}
