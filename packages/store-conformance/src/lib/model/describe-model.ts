import fc from 'fast-check'
import { describe, it } from 'vitest'
import { runSteps } from './run-steps.ts'
import { step } from './steps.ts'
import type { ModelFixture } from './world.ts'

export interface ModelOptions {
  /** How many random lists of steps to run, each on a store of its own. */
  readonly runs: number
  /** The most steps in a list; 80 by default. */
  readonly steps?: number | undefined
}

/** Time for the runs, including the shrinking of a failure. */
const LIMIT_MS = 240_000

/**
 * Runs random lists of steps (publish, subscribe, lease, settle, crash, advance …) on the store and on a model of what
 * the ports promise. A difference is reported as the shortest list that shows it. The seed is printed; `MODEL_SEED` and
 * `MODEL_PATH` repeat a run.
 */
export function describeModel(
  name: string,
  factory: () => Promise<ModelFixture>,
  { runs, steps = 80 }: ModelOptions,
): void {
  describe(`a store and its model: ${name}`, () => {
    it(`behaves like the model in ${runs} random lists of steps`, { timeout: 2 * LIMIT_MS }, async () => {
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
          // Reports a failure as short as it got by then, and fails on a machine that is too slow for the runs.
          interruptAfterTimeLimit: LIMIT_MS,
          markInterruptAsFailure: true,
        },
      )
    })
  })
}
