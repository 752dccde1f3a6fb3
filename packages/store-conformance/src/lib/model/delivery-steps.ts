import assert from 'node:assert/strict'
import { sequenceAndLease } from '../lanes.ts'
import { allSubscriptions, standingOf, take } from './lease-step.ts'
import { MINUTE } from './model.ts'
import { isHeld } from './settle-step.ts'
import type { Leasing } from './steps.ts'
import { waitOf } from './subscription-steps.ts'
import { isValid } from './transitions.ts'
import type { World } from './world.ts'

/** Sequences at most `limit` events. If more are waiting, the model does not know which of them the store sequenced. */
export async function sequence(world: World, limit: number): Promise<void> {
  const { sequenced } = await world.store.deliveries.sequence(limit)
  assert.equal(sequenced, Math.min(limit, world.outbox), 'events that were sequenced')
  noteSequenced(world, sequenced)
}

function noteSequenced(world: World, sequenced: number): void {
  world.outbox -= sequenced
  if (world.outbox > 0) return
  world.generation++
  for (const { events } of world.homes) for (const event of events) event.sequenced = true
}

/** Sequences events and leases lanes in one step. Expects only lanes that `lease` could have returned. */
export async function sequenceThenTake(world: World, limit: number, leasing: Leasing): Promise<void> {
  const { sequenced, lanes, more } = await sequenceAndLease(world.store, {
    limit,
    lanes: leasing.lanes,
    leaseMs: waitOf(leasing.minutes),
  })
  assert.ok(sequenced <= Math.min(limit, world.outbox), 'no more events than asked for')
  assert.ok(sequenced > 0 || world.outbox === 0, 'at least one event, if any is waiting')
  assert.ok(more || sequenced === world.outbox, 'the store says that more events wait')
  noteSequenced(world, sequenced)
  assert.ok(lanes.length <= leasing.lanes, 'no more lanes than asked for')
  for (const lane of lanes) take(world, lane, leasing)
}

/** Expects the store and the model to agree on which leased lanes may be sent and which keys are valid. */
export async function check(world: World): Promise<void> {
  const standings = await world.store.deliveries.check(
    world.held.map(({ subscription: { ref }, epoch }) => ({ ...ref, epoch })),
  )
  const lost = { deliverable: false, hold: undefined, personalData: false }
  assert.deepEqual(
    standings,
    world.held.map((held) =>
      isHeld(held) && !held.subscription.lane.outlasting ? standingOf(world, held.home, held.subscription) : lost,
    ),
    'the standing of the lanes',
  )
  for (const { keys } of world.homes) {
    for (const key of keys) {
      const known = await world.store.admission.identify(key.tokenHash)
      assert.equal(known?.caller.keyId, isValid(key, world) ? key.id : undefined, 'the key of a token')
    }
  }
}

/** Runs a sweep, which wakes lanes that have work but would never be leased. Expects it to find no such lane. */
export async function sweep({ store }: World): Promise<void> {
  assert.equal(await store.deliveries.sweep(), 0, 'no wake-up was lost')
}

/** Restarts the only worker. When it starts, the worker releases all leases that its previous process held. */
export async function restart(world: World): Promise<void> {
  const held = allSubscriptions(world).filter(({ subscription: { lane } }) => lane.holder !== undefined)
  assert.equal(await world.store.deliveries.release({ of: 'all' }), held.length, 'leases that were released')
  for (const { subscription } of held) {
    subscription.lane.holder = undefined
    subscription.lane.wakeAt = world.time
  }
}

export async function advance(world: World, minutes: number): Promise<void> {
  await world.advance(minutes * MINUTE)
  world.time += minutes * MINUTE
}
