import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { partsOf } from '../reading/listing-by-state.ts'
import { check, lease, restart, sweep, Undecided } from './lease-steps.ts'
import { compareAll, deleteAccount, eraseBefore, erasePerson, retain } from './maintenance-steps.ts'
import {
  beginPublish,
  endAllPublishes,
  endPublish,
  growCatalog,
  moveClock,
  publish,
  sequence,
} from './publish-steps.ts'
import { randomStep } from './random-step.ts'
import { settle } from './settle-step.ts'
import type { Plan, Step } from './steps.ts'
import {
  backfill,
  change,
  importOne,
  resendOne,
  resendRange,
  revokeKey,
  rotateKey,
  subscribe,
  subscriptionsOf,
  untie,
} from './subscription-steps.ts'
import { both, createWorld, issueKey, MINUTE, type RunnerFixture, type World, waitOf } from './world.ts'

export interface RunnerOptions {
  /** The number of random lists of steps to run, each on a store of its own. */
  readonly runs: number
  /** The maximum number of steps in a list; 80 by default. */
  readonly steps?: number | undefined
}

/** The time limit for the runs, including the time to find a shorter list that also fails. */
const LIMIT_MS = 240_000
/** The number of rounds after which every delivery must have ended. */
const ROUNDS = 60

/**
 * Runs random lists of steps (publish, subscribe, lease, settle, crash, erase, retain, advance …) on a store and on a
 * reference: a store that runs the acts of core. Every answer must be the same. A difference is reported as the
 * shortest list that reproduces it. The seed is printed; set `RUNNER_SEED` and `RUNNER_PATH` to repeat a run.
 */
export function describeRunner(
  name: string,
  factory: () => Promise<RunnerFixture>,
  reference: () => Promise<RunnerFixture>,
  { runs, steps = 80 }: RunnerOptions,
): void {
  describe(`random steps: ${name}`, () => {
    it(`answers like the reference in ${runs} random lists of steps`, { timeout: 2 * LIMIT_MS }, async () => {
      const seed = Number(process.env['RUNNER_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
      const path = process.env['RUNNER_PATH']
      console.info(`random steps on ${name}: ${runs} runs, RUNNER_SEED=${seed}`)
      await fc.assert(
        fc.asyncProperty(fc.array(randomStep, { maxLength: steps, size: 'max' }), async (list) => {
          const tested = await factory()
          try {
            await run(await createWorld(tested, await reference()), list)
          } finally {
            await tested.cleanup()
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

async function run(world: World, steps: readonly Step[]): Promise<void> {
  try {
    for (const home of world.homes.keys()) await subscribe(world, home, 0, 2)
    for (const step of steps) {
      await takeStep(world, step)
      await untie(world)
    }
    await endAllPublishes(world)
    await compareAll(world)
    for (const { ref } of subscriptionsOf(world))
      await partsOf(world.tested.store, ref, { types: [undefined], limits: [4] })
    await drain(world)
    await compareAll(world)
  } catch (error) {
    if (!(error instanceof Undecided)) throw error
  } finally {
    for (const { transaction } of world.open) await transaction.rollback()
  }
}

async function takeStep(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case 'publish':
      return publish(world, step.drafts)
    case 'begin':
      return beginPublish(world, step.draft)
    case 'commit':
    case 'rollback':
      return endPublish(world, step.do, step.open)
    case 'subscribe':
      return subscribe(world, step.home, step.key, step.slot)
    case 'import':
      return importOne(world, step)
    case 'change':
      return change(world, step.subscription, step.act)
    case 'resend':
      return resendOne(world, step.subscription, step.event)
    case 'resendRange':
      return resendRange(world, step)
    case 'backfill':
      return backfill(world, step.subscription, step.minutes)
    case 'issueKey': {
      const expiresAfterMs = step.minutes === undefined ? undefined : waitOf(step.minutes)
      return issueKey(world, world.homes[step.home]!, step.personalData, expiresAfterMs)
    }
    case 'rotateKey':
      return rotateKey(world, step.home, step.key, step.minutes)
    case 'revokeKey':
      return revokeKey(world, step.home, step.key)
    case 'growCatalog':
      return growCatalog(world, step.type)
    case 'erasePerson':
      return erasePerson(world, step.home, step.person, step)
    case 'eraseBefore':
      return eraseBefore(world, step.home, step.minutes, step)
    case 'deleteAccount':
      return deleteAccount(world, step.home)
    case 'retain':
      return retain(world, step)
    case 'sequence':
      return sequence(world, step.limit)
    case 'lease':
      return lease(world, step)
    case 'settle':
      return settle(world, step.plans)
    case 'work':
      await sequence(world, 1000)
      await lease(world, step)
      return settle(world, step.plans)
    case 'crash':
      world.held = world.held.filter((_, index) => index !== step.held)
      return
    case 'check':
      return check(world)
    case 'sweep':
      return sweep(world)
    case 'restart':
      return restart(world)
    case 'advance':
      return moveClock(world, step.minutes * MINUTE)
  }
}

const DELIVERS: Plan = {
  held: 0,
  count: 100,
  outcomes: ['delivered'],
  keep: false,
  open: 0,
  recordFirst: false,
  minutes: 1,
  breakerFailures: 0,
  pause: 0,
  slow: false,
  answers: false,
}

/** Crashes all workers. A new worker then delivers until nothing is left to deliver. */
async function drain(world: World): Promise<void> {
  world.held = []
  for (let round = 0; (await untilNextWork(world)) !== undefined; round++) {
    assert.ok(round < ROUNDS, `still work after ${ROUNDS} rounds`)
    await sequence(world, 1000)
    await moveClock(world, 5 * MINUTE)
    await lease(world, { lanes: 100, perLane: 10, minutes: 1 })
    while (world.held.length > 0) {
      await settle(world, [DELIVERS])
      await untie(world)
      world.held = world.held.slice(1)
    }
  }
  await sweep(world)
  for (const { ref } of subscriptionsOf(world))
    for (const state of ['pending', 'retrying'] as const) {
      const left = await world.tested.store.deliveryLog.page(ref, {
        state,
        type: undefined,
        before: undefined,
        limit: 9,
      })
      assert.deepEqual(left.deliveries, [], `no delivery to ${ref.id} is left ${state}`)
    }
}

async function untilNextWork(world: World): Promise<number | undefined> {
  const [ms] = await both(world, 'until the next work', async (store) => (await store.deliveries.backlog()).nextInMs)
  return ms
}
