import assert from 'node:assert/strict'
import {
  type CurrentPaths,
  ERASED_PREFIX,
  type ErasableEvent,
  type ErasedEvent,
  type ErasureCounts,
  erasedFingerprint,
  isErased,
} from '@callboard/core/store'
import { catalogOf, fingerprintIn, mayHoldPersonalData } from './catalog.ts'
import { compareAttempts, compareEvents } from './compare.ts'
import { type Home, MINUTE, type ModelAttempt, type ModelEvent } from './model.ts'
import { endPublish } from './publish-steps.ts'
import type { Erasing } from './steps.ts'
import { dateIn, type World } from './world.ts'

/** How many events a step of an erasure reads. It is small, so that most erasures take several steps. */
const AT_ONCE = 2

/** An erasure that a process has begun. */
interface Erasure {
  readonly catalog: CurrentPaths
  readonly outdated: boolean
  /** Whether another process erases the same events at the same time. */
  readonly twice: boolean
  readonly since: string
  /** Ids of the events that were committed after the erasure began. */
  readonly late: readonly string[]
}

/** Erases the personal data of one person, in the way that core does. */
export async function erasePerson(world: World, homeIndex: number, person: string, erasing: Erasing): Promise<void> {
  const home = world.homes[homeIndex]!
  const { account, mode } = home
  const erasure = await begin(world, erasing)
  const { catalog } = erasure
  const ref = { accountId: account.id, mode, personId: person, personDigests: digestsOf(home, person) }
  let events = 0
  for (let left = true; left; ) {
    const wanted = home.events.filter((event) => event.person === person && mayHoldPersonalData(event, catalog))
    const found = await world.store.maintenance.eventsOfPerson(ref, catalog, AT_ONCE)
    assert.equal(found.length, Math.min(wanted.length, AT_ONCE), `events of ${person} that are left to erase`)
    for (const { id } of found)
      assert.ok(
        wanted.some((event) => event.id === id),
        `${id} should be erased`,
      )
    await erase(world, found, erasure)
    events += found.length
    left = found.length === AT_ONCE
  }
  await compareUnattributed(world, home, catalog)
  if (events > 0) await compareErased(world)
}

/** Erases the personal data of all events that are old enough, in one account or in all, in the way that core does. */
export async function eraseBefore(
  world: World,
  homeIndex: number | undefined,
  minutes: number,
  erasing: Erasing,
): Promise<void> {
  const accountId = homeIndex === undefined ? undefined : world.homes[homeIndex]!.account.id
  const erasure = await begin(world, erasing)
  const { catalog } = erasure
  const wanted = world.homes
    .filter(({ account }) => accountId === undefined || account.id === accountId)
    .flatMap(({ events }) => events)
    .filter((event) => event.publishedAt <= world.time - minutes * MINUTE && mayHoldPersonalData(event, catalog))
    .map(({ id }) => id)
  const publishedBefore = dateIn(world, MINUTE / 2 - minutes * MINUTE)
  const walk = { accountId, publishedBefore, current: catalog, limit: AT_ONCE }
  const found: string[] = []
  let step: Awaited<ReturnType<World['store']['maintenance']['eventsBefore']>> | undefined
  do {
    step = await world.store.maintenance.eventsBefore({ ...walk, after: step?.next })
    await erase(world, step.events, erasure)
    found.push(...step.events.map(({ id }) => id))
  } while (step.next !== undefined)
  assert.deepEqual(found.sort(), wanted.sort(), 'the events to erase')
  if (found.length > 0) await compareErased(world)
}

/** Begins an erasure. With `commits`, then commits an open transaction, so that the transaction's event is late. */
async function begin(world: World, { outdated, twice, commits }: Erasing): Promise<Erasure> {
  const { since, publishing } = await world.store.maintenance.openTransactions()
  assert.equal(publishing.length, world.open.length, 'transactions that have published and are open')
  const late = commits ? world.open.slice(0, 1).map(({ event }) => event.id) : []
  if (commits) await endPublish(world, 'commit', 0)
  return { catalog: catalogOf(world, outdated), outdated, twice, since, late }
}

/** Erases the events that a step found. Expects the store to have read them as they are in the model. */
async function erase(world: World, found: readonly ErasableEvent[], erasure: Erasure): Promise<void> {
  const picked = found.map((read) => ({ read, ...pick(world, read) }))
  for (const { read, event } of picked) {
    const { type, body, fingerprint, person } = event
    const personId = isErased(fingerprint) ? undefined : person
    const { accountId, mode, id } = read
    assert.deepEqual(read, { accountId, mode, id, type, body, fingerprint, personId }, `${id} as it is before erasing`)
  }
  const erased = picked.map(({ read, home }) => erasedOf(read, home, erasure))
  const counts = await world.store.maintenance.erase(erased, erasure.since)
  const responses = picked.flatMap(({ home, event }) => responsesTo(home, event))
  const late = picked.filter(({ event }) => erasure.late.includes(event.id))
  const expected: ErasureCounts = { events: picked.length, late: late.length, responses: responses.length }
  assert.deepEqual(counts, expected, 'what was erased')
  for (const attempt of responses) attempt.response = undefined
  for (const [index, { event }] of picked.entries()) {
    const { body, fingerprint } = erased[index]!
    Object.assign(event, { body: body ?? event.body, patch: null, fingerprint, digest: undefined })
  }
  if (!erasure.twice) return
  const again = await world.store.maintenance.erase(erased, erasure.since)
  assert.deepEqual(again, { events: 0, late: 0, responses: 0 }, 'what was erased a second time')
}

/** The state of an event after an erasure. A body is redacted again only if the event's type now has other paths. */
function erasedOf(
  { accountId, mode, id, type, body, fingerprint, personId }: ErasableEvent,
  home: Home,
  { catalog, outdated }: Erasure,
): ErasedEvent {
  const paths = fingerprintIn(catalog, type)
  const known = isErased(fingerprint) ? fingerprint.slice(ERASED_PREFIX.length) : fingerprint
  // A process with an outdated catalogue also has an outdated key ring.
  const personDigest = personId === undefined ? undefined : digestsOf(home, personId).at(outdated ? -1 : 0)
  return {
    accountId,
    mode,
    id,
    from: fingerprint,
    fingerprint: erasedFingerprint(paths),
    body: known === paths ? undefined : body.replace(/}$/, `,"without":"${paths}"}`),
    personDigest,
  }
}

/** Digests of a person, one for each key of the ring. The digest made with the current key comes first. */
function digestsOf({ account, mode }: Home, person: string): string[] {
  return ['k2', 'k1'].map((key) => `${key}.${account.id} ${mode} ${person}`)
}

function pick({ homes }: World, { accountId, mode, id }: ErasableEvent): { home: Home; event: ModelEvent } {
  const home = homes.find((each) => each.account.id === accountId && each.mode === mode)
  const event = home?.events.find((each) => each.id === id)
  assert.ok(home !== undefined && event !== undefined, `${id} is an event`)
  return { home, event }
}

/** The attempts at an event's deliveries that have a stored response, even those of removed subscriptions. */
function responsesTo({ subscriptions }: Home, { id }: ModelEvent): ModelAttempt[] {
  return subscriptions
    .flatMap(({ attempts }) => attempts)
    .filter(({ eventId, response }) => eventId === id && response !== undefined)
}

async function compareUnattributed(world: World, { account, mode, events }: Home, current: CurrentPaths) {
  const counted = new Map<string, number>()
  let after: string | undefined
  do {
    const request = { accountId: account.id, mode, current, after, limit: 3 }
    const { types, next } = await world.store.maintenance.countUnattributed(request)
    for (const [type, count] of types) counted.set(type, (counted.get(type) ?? 0) + count)
    after = next
  } while (after !== undefined)
  for (const { type } of current) {
    const nameless = events.filter(
      (event) => event.type === type && event.person === undefined && mayHoldPersonalData(event, current),
    )
    assert.equal(counted.get(type) ?? 0, nameless.length, `events of type ${type} that name no person`)
  }
}

async function compareErased(world: World): Promise<void> {
  await compareEvents(world)
  await compareAttempts(world)
}
