import assert from 'node:assert/strict'
import { allSubscriptions, requestOf, standingOf, take } from './lease-step.ts'
import { isValid, MINUTE } from './model.ts'
import { isHeld } from './settle-step.ts'
import type { Leasing } from './steps.ts'
import type { World } from './world.ts'

/** Gives events their places; what a pass leaves behind may be any of them. */
export async function sequence(world: World, limit: number): Promise<void> {
  notePlaced(world, limit, await world.store.deliveries.sequence(limit))
}

function notePlaced(world: World, limit: number, placed: number): void {
  assert.equal(placed, Math.min(limit, world.outbox))
  world.outbox = Math.max(0, world.outbox - limit)
  if (world.outbox > 0) return
  world.generation++
  for (const { events } of world.homes) for (const event of events) event.placed = true
}

/** Places, and expects of what the store leased in the same step that `lease` might have leased it. */
export async function sequenceAndLease(world: World, limit: number, leasing: Leasing): Promise<void> {
  const { placed, lanes } = await world.store.deliveries.sequenceAndLease(limit, requestOf(leasing))
  notePlaced(world, limit, placed)
  assert.ok(lanes.length <= leasing.lanes, 'no more lanes than asked for')
  for (const lane of lanes) take(world, lane, leasing)
}

/** How the leased lanes and all keys stand. */
export async function check(world: World): Promise<void> {
  const standings = await world.store.deliveries.check(
    world.held.map(({ subscription: { ref }, epoch }) => ({ ...ref, epoch })),
  )
  const lost = { deliverable: false, hold: undefined, personalData: false }
  assert.deepEqual(
    standings,
    world.held.map((held) => (isHeld(held) ? standingOf(world, held.home, held.subscription) : lost)),
    'how the lanes stand',
  )
  for (const { keys } of world.homes) {
    for (const key of keys) {
      const known = await world.store.admission.identify(key.tokenHash)
      assert.equal(known?.caller.keyId, isValid(key, world) ? key.id : undefined, 'whom a token stands for')
    }
  }
}

/** A lost wake-up is what a sweep finds: there is none. */
export async function sweep({ store }: World): Promise<void> {
  assert.equal(await store.deliveries.sweep(), 0, 'no wake-up was lost')
}

/** A sole worker that starts anew gives back what its dead process held. */
export async function restart(world: World): Promise<void> {
  const held = allSubscriptions(world).filter(
    ({ subscription: { state, lane } }) => state === 'active' && lane.holder !== undefined,
  )
  assert.equal(await world.store.deliveries.releaseLeases(), held.length, 'leases that were given back')
  for (const { subscription } of held) {
    subscription.lane.holder = undefined
    subscription.lane.wakeAt = world.time
  }
}

export async function advance(world: World, minutes: number): Promise<void> {
  await world.advance(minutes * MINUTE)
  world.time += minutes * MINUTE
}
