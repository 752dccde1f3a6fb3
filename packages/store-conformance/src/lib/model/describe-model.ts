import fc from 'fast-check'
import { describe, it } from 'vitest'
import { randomStep } from './random-step.ts'
import { runSteps } from './run-steps.ts'
import type { ModelFixture } from './world.ts'

export interface ModelOptions {
  /** The number of random lists of steps to run, each on a store of its own. */
  readonly runs: number
  /** The maximum number of steps in a list; 80 by default. */
  readonly steps?: number | undefined
}

/** The time limit for the runs, including the time to find a shorter list that also fails. */
const LIMIT_MS = 240_000

/**
 * Runs random lists of steps (publish, subscribe, lease, settle, crash, erase, retain, advance …) on the store and on a
 * model of what the ports promise. A difference is reported as the shortest list that reproduces it. The seed is
 * printed; set `MODEL_SEED` and `MODEL_PATH` to repeat a run.
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
        fc.asyncProperty(fc.array(randomStep, { maxLength: steps, size: 'max' }), async (list) => {
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
          // When the time is up, reports the shortest failing list found so far. The test fails even if no list has
          // failed, because the runs did not finish.
          interruptAfterTimeLimit: LIMIT_MS,
          markInterruptAsFailure: true,
        },
      )
    })
  })
}
