import assert from 'node:assert/strict'
import { BREAKER_THRESHOLD, type LaneStanding, type LeasedDelivery, type LeasedLane } from '@callboard/core/store'
import { type Home, MAX_ATTEMPTS, type ModelDelivery, type ModelEvent, type ModelSubscription } from './model.ts'
import type { Leasing } from './steps.ts'
import { secretsNow, waitOf } from './subscription-steps.ts'
import { isValid } from './transitions.ts'
import type { World } from './world.ts'

/** Leases lanes. Expects all lanes with due work, up to the requested number, and only lanes that may be leased now. */
export async function lease(world: World, { lanes, perLane, minutes }: Leasing): Promise<void> {
  const due = allSubscriptions(world).filter(
    ({ subscription }) => mayBeLeased(world, subscription) && hasWork(world, subscription),
  )
  const found = await world.store.deliveries.due({ limit: 100, after: undefined })
  const wanted = found.lanes.slice(0, lanes).map((lane) => ({ ...lane, room: perLane }))
  const leased = await world.store.deliveries.lease({ worker: 'w', call: 1, lanes: wanted, leaseMs: waitOf(minutes) })
  assert.deepEqual(
    leased.map(({ lease: { id } }) => id).sort(),
    wanted.map(({ id }) => id).sort(),
    'each lane that was due is leased',
  )
  for (const lane of leased) take(world, lane, { perLane, minutes })
  for (const { id, slow } of wanted)
    assert.equal(
      slow,
      allSubscriptions(world).find(({ subscription: { ref } }) => ref.id === id)?.subscription.lane.slow,
      `whether ${id} is slow`,
    )
  if (leased.length === lanes) return
  for (const { subscription } of due)
    assert.ok(
      leased.some(({ lease: { id } }) => id === subscription.ref.id),
      `${subscription.ref.id} has work due and is not leased`,
    )
}

/** Expects a leased lane to match the model, and records the lease. */
export function take(world: World, leased: LeasedLane, { perLane, minutes }: Omit<Leasing, 'lanes'>): void {
  const { accountId, mode, id, epoch } = leased.lease
  const found = allSubscriptions(world).find(({ subscription: { ref } }) => ref.id === id)
  assert.ok(found, `${id} is a subscription`)
  const { home, subscription } = found
  const { lane } = subscription
  assert.deepEqual({ accountId, mode }, { accountId: home.account.id, mode: home.mode })
  assert.ok(mayBeLeased(world, subscription), `${id} may be leased now`)
  assert.ok(epoch > lane.epoch, 'the epoch rises')
  assert.deepEqual(
    leased.secrets.map(({ sealed }) => sealed),
    secretsNow(subscription, world),
  )
  const standing = standingOf(world, home, subscription)
  assert.deepEqual(leased.standing, standing)
  assert.equal(leased.failures, lane.failures)

  const claimed = lane.claims >= 2
  const room = claimed || lane.failures >= BREAKER_THRESHOLD ? 1 : perLane
  const retries = leased.deliveries.filter(({ position }) => position === undefined)
  const fresh = leased.deliveries.filter(({ position }) => position !== undefined)
  assert.deepEqual(leased.deliveries, [...retries, ...fresh], 'retries first')
  assert.equal(new Set(leased.deliveries.map(({ eventId }) => eventId)).size, leased.deliveries.length, 'each once')
  for (const delivery of leased.deliveries) expectDelivery(home, subscription, delivery, standing, claimed)
  expectPositions(home, subscription, leased)

  const dueRetries = retriesDue(world, subscription)
  const waiting = inFeed(home, subscription)
  const alone = retries.some(({ suspect }) => suspect) || (claimed && leased.deliveries.length > 0)
  if (alone) assert.equal(leased.deliveries.length, 1, 'a suspect is leased alone')
  else {
    assert.equal(
      retries.length,
      Math.min(dueRetries.length, Math.ceil(room / 2)),
      'due retries fill at most half of the room',
    )
    const most = Math.min(waiting.length, room - retries.length)
    const certain =
      Math.min(waiting.filter(({ sequenced }) => sequenced).length, room - retries.length) - lane.older.size
    assert.ok(fresh.length <= most && fresh.length >= certain, `${fresh.length} of the feed, not ${certain} to ${most}`)
  }
  for (const { eventId } of retries)
    for (const other of dueRetries)
      if (!alone && !retries.some((each) => each.eventId === other.eventId))
        assert.ok(dueAtOf(subscription, eventId) <= dueAtOf(subscription, other.eventId), 'first due, first leased')
  if (leased.deliveries.length === 0)
    assert.ok(
      lane.wakeAt !== undefined ||
        lane.older.size > 0 ||
        lane.overtaken > lane.caughtUp ||
        hasWork(world, subscription),
      `${id} is leased without a reason`,
    )

  lane.epoch = epoch
  lane.holder = epoch
  lane.outlasting = false
  lane.claims++
  lane.room = perLane
  lane.leased = fresh.map(({ eventId }) => eventId)
  lane.wakeAt = world.time + waitOf(minutes)
  world.held.push({
    home,
    subscription,
    epoch,
    ...standing,
    through: leased.through,
    failures: leased.failures,
    slow: lane.slow,
    cursor: leased.cursor,
    left: leased.deliveries,
    overtaken: lane.overtaken,
  })
}

function expectDelivery(
  home: Home,
  subscription: ModelSubscription,
  { eventId, position, attempts, suspect, redacted, event }: LeasedDelivery,
  { personalData }: LaneStanding,
  claimed: boolean,
): void {
  const delivery = subscription.deliveries.get(eventId)
  assert.ok(delivery, `${eventId} is owed to ${subscription.ref.id}`)
  assert.equal(delivery.state, position === undefined ? 'retry' : 'feed', `the state of ${eventId}`)
  assert.deepEqual(
    { attempts, suspect, redacted },
    { attempts: delivery.attempts, suspect: claimed || delivery.suspect, redacted: delivery.redacted },
    `the record of ${eventId}`,
  )
  assert.ok(attempts <= MAX_ATTEMPTS, `${attempts} attempts of ${eventId}`)
  const stored = home.events.find(({ id }) => id === eventId)
  if (stored === undefined) assert.ok(position === undefined && event === undefined, `${eventId} was removed`)
  else {
    const { type, body, patch, fingerprint } = stored
    const text = { id: eventId, type, body, patch: personalData && !redacted ? patch : null, fingerprint }
    assert.deepEqual(event, text, `the text of ${eventId}`)
  }
}

/**
 * Expects each event to have a position of its own. Events of a later generation must have higher positions; within a
 * generation, the positions of a subject's events must rise with their sequence.
 */
function expectPositions(
  home: Home,
  subscription: ModelSubscription,
  { deliveries, cursor, through }: LeasedLane,
): void {
  let last = cursor
  for (const { eventId, position } of deliveries) {
    if (position === undefined) continue
    assert.ok(position > last, 'positions rise from the cursor')
    last = position
    const event = eventOf(home, eventId)
    assert.equal(event.position ?? position, position, `the position of ${eventId}`)
    event.position = position
    for (const other of home.events) {
      if (other === event || other.position === undefined) continue
      const before =
        other.generation === event.generation
          ? other.subject === event.subject && other.sequence < event.sequence
          : other.generation < event.generation
      const after =
        other.generation === event.generation
          ? other.subject === event.subject && other.sequence > event.sequence
          : other.generation > event.generation
      assert.ok(!before || other.position < position, `${other.id} lies before ${eventId}`)
      assert.ok(!after || other.position > position, `${other.id} lies behind ${eventId}`)
      assert.notEqual(other.position, position, 'no position is given twice')
    }
  }
  assert.ok(through >= last, `the lease of ${subscription.ref.id} ends at or after its last position`)
}

export function standingOf(world: World, home: Home, { state, confirmedBy }: ModelSubscription): LaneStanding {
  if (state !== 'active') return { deliverable: false, hold: undefined, personalData: false }
  const key = home.keys.find(({ id }) => id === confirmedBy)
  if (key === undefined || !isValid(key, world)) return { deliverable: false, hold: 'key', personalData: false }
  return { deliverable: true, hold: undefined, personalData: key.personalData }
}

export function allSubscriptions(world: World): { readonly home: Home; readonly subscription: ModelSubscription }[] {
  return world.homes.flatMap((home) => home.subscriptions.map((subscription) => ({ home, subscription })))
}

function mayBeLeased({ time }: World, { state, lane: { wakeAt } }: ModelSubscription): boolean {
  return state === 'active' && (wakeAt === undefined || wakeAt <= time)
}

function hasWork(world: World, subscription: ModelSubscription): boolean {
  const home = world.homes.find(({ subscriptions }) => subscriptions.includes(subscription))!
  return retriesDue(world, subscription).length > 0 || inFeed(home, subscription).some(({ sequenced }) => sequenced)
}

function retriesDue({ time }: World, { deliveries }: ModelSubscription): (ModelDelivery & { eventId: string })[] {
  return [...deliveries]
    .filter(([, { state, dueAt }]) => state === 'retry' && dueAt <= time)
    .map(([eventId, delivery]) => ({ eventId, ...delivery }))
}

/** The events whose delivery is pending, whether they are sequenced or not. */
function inFeed(home: Home, { deliveries }: ModelSubscription): ModelEvent[] {
  return [...deliveries].filter(([, { state }]) => state === 'feed').map(([eventId]) => eventOf(home, eventId))
}

function eventOf(home: Home, eventId: string): ModelEvent {
  return home.events.find(({ id }) => id === eventId)!
}

function dueAtOf({ deliveries }: ModelSubscription, eventId: string): number {
  return deliveries.get(eventId)?.dueAt ?? Number.NaN
}
