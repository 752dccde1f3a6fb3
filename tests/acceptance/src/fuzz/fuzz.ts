import fc from 'fast-check'
import { expect } from 'vitest'
import type { StoreFixture } from '../stores.ts'
import { checkAnswer } from './answers.ts'
import { createFuzzedPlatform } from './fuzzed-platform.ts'
import { requests } from './requests.ts'
import { send } from './send.ts'

/** Returns the parameters of a run and prints its seed. To repeat a run, set `FUZZ_SEED` and `FUZZ_PATH`. */
export function seeded(name: string, runs: number): fc.Parameters<unknown> {
  const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const path = process.env['FUZZ_PATH']
  console.info(`${name}: ${runs} requests, FUZZ_SEED=${seed}`)
  return { numRuns: runs, seed, ...(path === undefined ? {} : { path }) }
}

/** Sends `runs` requests to one platform and checks every response. */
export async function fuzz(name: string, fixture: StoreFixture, runs: number): Promise<void> {
  const platform = await createFuzzedPlatform(fixture)
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(requests(platform), async (request) => {
      const { pathname, answer } = await send(platform, request)
      checkAnswer(platform, request, pathname, answer)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }),
    seeded(name, runs),
  )
  console.info(
    `${name}: answers ${[...statuses]
      .sort()
      .map(([status, count]) => `${status}×${count}`)
      .join(' ')}`,
  )
  expect(await platform.untouched()).toBe(true)
}
