import assert from 'node:assert/strict'
import { BREAKER_THRESHOLD, type DueLane, type LeasedDelivery, type LeasedLane } from '@callboard/core/store'
import type { Leasing } from './steps.ts'
import { both, keyOf, type World, waitOf } from './world.ts'

/** Leases the lanes that are due. */
export async function lease(world: World, { lanes, perLane, minutes }: Leasing): Promise<void> {
  const due = await both(world, 'the lanes that are due', dueLanes)
  const leased: LeasedLane[][] = []
  await both(world, 'the leased lanes', async (store, which) => {
    const wanted = due[which].slice(0, lanes).map((lane) => ({ ...lane, room: perLane }))
    const leases = await store.deliveries.lease({ worker: 'w', call: 1, lanes: wanted, leaseMs: waitOf(minutes) })
    leased.push(leases.map((lane) => ({ ...lane, deliveries: inPromisedOrder(lane) })))
    return leases.map(({ deliveries, ...lane }) => {
      const present = deliveries.filter(({ event }) => event !== undefined)
      return { ...lane, deliveries: present, removed: deliveries.length - present.length }
    })
  })
  const [tested, reference] = leased.map((leases) => JSON.stringify(leases.map(({ deliveries }) => deliveries)))
  if (tested !== reference) throw new Undecided()
  hold(world, leased, perLane)
}

/**
 * Ends a run, because the stores chose differently among retries of removed events that are due at the same time. Their
 * order is not promised, and they cannot be untied (`untie`).
 */
export class Undecided extends Error {}

async function dueLanes({ deliveries }: World['tested']['store']): Promise<readonly DueLane[]> {
  return (await deliveries.due({ limit: 100, after: undefined })).lanes
}

function hold(world: World, [tested, reference]: readonly (readonly LeasedLane[])[], room: number): void {
  for (const [index, lane] of tested!.entries()) {
    expectInOrder(world, lane, room)
    const { settledThrough, deliveries: left } = lane
    world.held.push({ leases: [lane, reference![index]!], settledThrough, left })
  }
}

/** Retries of removed events come last, by id. */
function inPromisedOrder({ deliveries }: LeasedLane): LeasedDelivery[] {
  const removed = deliveries.filter(({ event }) => event === undefined)
  const byEvent = removed.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1))
  return [...deliveries.filter(({ event }) => event !== undefined), ...byEvent]
}

/**
 * What is true of every lease: retries come first and fill at most half of it, a backfill comes last, a suspect is
 * alone, each delivery is leased once, positions rise from `settledThrough`, and in the order in which the events were published.
 */
function expectInOrder(
  { events }: World,
  { deliveries, settledThrough, through, breakerFailures, lease }: LeasedLane,
  room: number,
): void {
  const backfilled = deliveries.filter((each) => each.backfilled)
  const retries = deliveries.filter((each) => each.position === undefined && !each.backfilled)
  const fresh = deliveries.filter(({ position }) => position !== undefined)
  const present = deliveries.filter(({ event }) => event !== undefined)
  assert.deepEqual(
    present,
    [...retries, ...fresh, ...backfilled].filter(({ event }) => event !== undefined),
    'retries come first, and a backfill last',
  )
  assert.ok(deliveries.length <= (breakerFailures >= BREAKER_THRESHOLD ? 1 : room), 'no more than there is room for')
  assert.ok(retries.length <= Math.ceil(room / 2), 'retries fill at most half of the room')
  assert.ok(!deliveries.some(({ suspect }) => suspect) || deliveries.length === 1, 'a suspect is leased alone')
  assert.equal(new Set(deliveries.map(({ eventId }) => eventId)).size, deliveries.length, 'each once')
  let last = settledThrough
  for (const [index, { eventId, position = 0 }] of fresh.entries()) {
    assert.ok(position > last, 'positions rise from settledThrough')
    last = position
    const event = events.get(keyOf(lease, eventId))!
    for (const other of fresh.slice(0, index).map((each) => events.get(keyOf(lease, each.eventId))!)) {
      assert.ok(other.generation <= event.generation, `${eventId} was sequenced later`)
      assert.ok(other.subject !== event.subject || other.sequence < event.sequence, 'the events of a subject in order')
    }
  }
  assert.ok(through >= last, `the lease of ${lease.id} ends at or after its last position`)
}

/** Expects both stores to agree on which leased lanes may be sent and which keys are valid. */
export async function check(world: World): Promise<void> {
  await both(world, 'the standing of the leased lanes', (store, which) =>
    store.deliveries.checkLeases(world.held.map(({ leases }) => leases[which].lease)),
  )
  for (const { tokenHash } of world.homes.flatMap(({ keys }) => keys))
    await both(world, 'the key of a token', async (store) => (await store.admission.identify(tokenHash))?.caller.keyId)
}

/** Expects a sweep to find no lane whose wake-up was lost. */
export async function sweep(world: World): Promise<void> {
  const [woken] = await both(world, 'lanes woken by a sweep', (store) => store.deliveries.sweep())
  assert.equal(woken, 0, 'no wake-up was lost')
}

/** Restarts the only worker. When it starts, it releases all leases that its previous process held. */
export async function restart(world: World): Promise<void> {
  await both(world, 'leases that were released', (store) => store.deliveries.releaseLeases({ of: 'all' }))
}
