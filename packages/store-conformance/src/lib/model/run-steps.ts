import assert from 'node:assert/strict'
import { partsOf } from '../listing-by-state.ts'
import { deleteAccount } from './account-steps.ts'
import { growCatalog } from './catalog.ts'
import { compare, compareAll } from './compare.ts'
import { advance, check, restart, sequence, sequenceThenTake, sweep } from './delivery-steps.ts'
import { eraseBefore, erasePerson } from './erasing-steps.ts'
import { allSubscriptions, lease } from './lease-step.ts'
import type { Home, ModelSubscription } from './model.ts'
import { beginPublish, endPublish, publish } from './publish-steps.ts'
import { retainAttempts, retainEvents, retainResponses, retainSubscriptions } from './retention-steps.ts'
import { settle } from './settle-step.ts'
import type { Plan, Step } from './steps.ts'
import {
  disableSubscription,
  enableSubscription,
  revokeKey,
  rotateKey,
  rotateSecret,
  subscribe,
  unsubscribe,
  waitOf,
} from './subscription-steps.ts'
import { createWorld, issueKey, type ModelFixture, type World } from './world.ts'

/** Options of `partsOf`: reads the lists of each state in pages of four deliveries, without filtering by type. */
const PAGES_OF_FOUR = { types: [undefined], limits: [4] }
/** The number of rounds after which every delivery must have ended. */
const ROUNDS = 60

/**
 * Runs the steps on the store and in the model, and compares the two after each step. Then lets a worker continue until
 * every delivery has ended.
 */
export async function runSteps(fixture: ModelFixture, steps: readonly Step[]): Promise<void> {
  const world = await createWorld(fixture)
  try {
    for (const home of world.homes.keys()) await subscribe(world, home, 0, 2)
    for (const step of steps) {
      await take(world, step)
      await compare(world)
    }
    for (const { subscription } of allSubscriptions(world)) await partsOf(world.store, subscription.ref, PAGES_OF_FOUR)
    while (world.open.length > 0) await endPublish(world, 'commit', 0)
    await drain(world)
    await compareAll(world)
  } finally {
    for (const { rollback } of world.open) await rollback()
  }
}

function take(world: World, step: Step): Promise<void> {
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
    case 'unsubscribe':
      return unsubscribe(world, step.subscription)
    case 'disable':
      return disableSubscription(world, step.subscription, step.reason, step.replaces)
    case 'enable':
      return enableSubscription(world, step.subscription, step.from)
    case 'rotateSecret':
      return rotateSecret(world, step.subscription, step.minutes)
    case 'issueKey':
      return issueKey(
        world,
        world.homes[step.home]!,
        step.personalData,
        step.minutes === undefined ? undefined : waitOf(step.minutes),
      )
    case 'rotateKey':
      return rotateKey(world, step.home, step.key, step.minutes)
    case 'revokeKey':
      return revokeKey(world, step.home, step.key)
    case 'growCatalog':
      growCatalog(world, step.type)
      return Promise.resolve()
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
      return work(world, step)
    case 'crash':
      world.held = world.held.filter((_, index) => index !== step.held)
      return Promise.resolve()
    case 'check':
      return check(world)
    case 'sweep':
      return sweep(world)
    case 'restart':
      return restart(world)
    case 'advance':
      return advance(world, step.minutes)
  }
}

function retain(world: World, { what, minutes, limit, newest }: Extract<Step, { do: 'retain' }>): Promise<void> {
  switch (what) {
    case 'events':
      return retainEvents(world, minutes, limit)
    case 'attempts':
      return retainAttempts(world, minutes, limit)
    case 'responses':
      return retainResponses(world, minutes, limit, newest)
    case 'subscriptions':
      return retainSubscriptions(world, minutes, limit)
  }
}

async function work(world: World, { plans, ...leasing }: Extract<Step, { do: 'work' }>): Promise<void> {
  await sequenceThenTake(world, 1000, leasing)
  await lease(world, leasing)
  await settle(world, plans)
}

const DELIVERS: Plan = {
  held: 0,
  count: 100,
  outcomes: ['delivered'],
  keep: false,
  recordFirst: false,
  minutes: 1,
  failures: 0,
  pause: 0,
  slow: false,
  answers: false,
}

/** Crashes all workers. A new worker then delivers until nothing is left to deliver. */
async function drain(world: World): Promise<void> {
  world.held = []
  for (let round = 0; waiting(world).length > 0; round++) {
    assert.ok(round < ROUNDS, `still waiting after ${ROUNDS} rounds: ${waiting(world).join(', ')}`)
    await sequence(world, 1000)
    await advance(world, 5)
    await lease(world, { lanes: 100, perLane: 10, minutes: 1 })
    while (world.held.length > 0) {
      await settle(world, [DELIVERS])
      world.held = world.held.slice(1)
    }
  }
  await sequence(world, 1000)
  await sweep(world)
}

function waiting(world: World): string[] {
  return allSubscriptions(world).flatMap(({ home, subscription }) => waitingOf(home, subscription))
}

function waitingOf({ mode }: Home, { ref, deliveries, state: standing }: ModelSubscription): string[] {
  return [...deliveries]
    .filter(([, { state }]) => standing === 'active' && (state === 'feed' || state === 'retry'))
    .map(([eventId, { state }]) => `${eventId} (${state}) for ${ref.id} of ${ref.accountId}, ${mode}`)
}
