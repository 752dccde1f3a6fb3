import assert from 'node:assert/strict'
import {
  type CurrentPaths,
  ERASED_PREFIX,
  type ErasableEvent,
  type ErasedEvent,
  type EventKey,
  erasedFingerprint,
  isErased,
  type RetentionHorizons,
  type Store,
} from '@callboard/core/store'
import { pagesOf } from '../arranging/arrange.ts'
import { ENTRY } from '../arranging/inputs.ts'
import { retainAll } from '../arranging/retention-passes.ts'
import { unattributed } from '../maintenance/erasing.ts'
import { byId } from './comparable.ts'
import { catalogOf, endAllPublishes, endPublish, fingerprintIn, sequence } from './publish-steps.ts'
import type { Erasing, Step } from './steps.ts'
import { subscribe } from './subscription-steps.ts'
import { both, createAccount, MINUTE, type World, waitOf } from './world.ts'

/** How many events a step of an erasure reads. It is small, so that most erasures take several steps. */
const AT_ONCE = 2

/** Longer than any run. */
const FOREVER_MS = 1e9
const KEEP: RetentionHorizons = {
  eventsMs: FOREVER_MS,
  attemptsMs: FOREVER_MS,
  responsesMs: FOREVER_MS,
  subscriptionsMs: FOREVER_MS,
  auditMs: FOREVER_MS,
  maxResponses: 1000,
}

/** Erases the personal data of one person, in the way that core does. */
export async function erasePerson(world: World, homeIndex: number, person: string, erasing: Erasing): Promise<void> {
  const { account, mode } = world.homes[homeIndex]!
  const { catalog, erase } = await begin(world, erasing)
  const ref = { accountId: account.id, mode, personId: person, personDigests: digestsOf(account.id, mode, person) }
  await both(world, 'what was erased of a person', async (store, which) => {
    const erased: unknown[] = []
    for (let left = true; left; ) {
      const found = await store.maintenance.eventsOfPerson(ref, catalog, AT_ONCE)
      erased.push(...(await erase(store, which, found)))
      left = found.length === AT_ONCE
    }
    return sorted(erased)
  })
  await both(world, 'events that name no person', (store) =>
    unattributed(store, { accountId: account.id, mode, current: catalog, limit: 3 }),
  )
}

/** Erases the personal data of all events that are old enough, in one account or in all, in the way that core does. */
export async function eraseBefore(
  world: World,
  homeIndex: number | undefined,
  minutes: number,
  erasing: Erasing,
): Promise<void> {
  const accountId = homeIndex === undefined ? undefined : world.homes[homeIndex]!.account.id
  const { catalog, erase } = await begin(world, erasing)
  const publishedBefore = new Date(world.time + MINUTE / 2 - minutes * MINUTE)
  await both(world, 'what was erased of old events', async (store, which) => {
    const walk = { accountId, publishedBefore, current: catalog, limit: AT_ONCE }
    const steps = await pagesOf(async (after?: EventKey) => {
      const { events, next } = await store.maintenance.eventsBefore({ ...walk, after })
      return { erased: await erase(store, which, events), next }
    })
    return sorted(steps.flatMap(({ erased }) => erased))
  })
}

/** Begins an erasure. With `commits`, then commits an open transaction, so that the transaction's event is late. */
async function begin(world: World, { outdated, twice, commits }: Erasing) {
  const { since, publishing } = await world.tested.store.maintenance.openTransactions()
  assert.equal(publishing.length, world.open.length, 'transactions that have published and are open')
  if (commits) await endPublish(world, 'commit', 0)
  const catalog = catalogOf(world, outdated)
  return {
    catalog,
    async erase({ maintenance }: Store<unknown>, which: 0 | 1, found: readonly ErasableEvent[]): Promise<unknown[]> {
      const erased = found.map((event) => erasedOf(event, catalog, outdated))
      const from = which === 0 ? since : ''
      // The reference has no transactions, so no event of it is late.
      const { late: _, ...counts } = await maintenance.erase(erased, from)
      if (twice) {
        const again = await maintenance.erase(erased, from)
        assert.deepEqual(again, { events: 0, late: 0, responses: 0 }, 'what was erased a second time')
      }
      return [...found, counts]
    },
  }
}

/** The state of an event after an erasure. A body is redacted again only if the event's type now has other paths. */
function erasedOf(
  { accountId, mode, id, type, body, fingerprint, personId }: ErasableEvent,
  catalog: CurrentPaths,
  outdated: boolean,
): ErasedEvent {
  const paths = fingerprintIn(catalog, type)
  const known = isErased(fingerprint) ? fingerprint.slice(ERASED_PREFIX.length) : fingerprint
  // A process with an outdated catalogue also has an outdated key ring.
  const personDigest = personId === undefined ? undefined : digestsOf(accountId, mode, personId).at(outdated ? -1 : 0)
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
function digestsOf(accountId: string, mode: string, person: string): string[] {
  return ['k2', 'k1'].map((key) => `${key}.${accountId} ${mode} ${person}`)
}

function sorted(values: readonly unknown[]): unknown[] {
  return values.map((value) => JSON.stringify(value)).sort()
}

/** Removes what is old in a whole pass. */
export async function retain(
  world: World,
  { what, minutes, limit, newest }: Extract<Step, { do: 'retain' }>,
): Promise<void> {
  const horizons = {
    ...KEEP,
    [`${what}Ms`]: waitOf(minutes),
    ...(what === 'responses' && { maxResponses: newest }),
  }
  await both(world, 'what retention removed', (store) => retainAll(store, horizons, limit))
  for (const home of world.homes) if (what === 'events') home.retired++
}

/** Deletes an account with both its modes. A new account takes its place, so that the run goes on. */
export async function deleteAccount(world: World, homeIndex: number): Promise<void> {
  const { account } = world.homes[homeIndex]!
  // A transaction that commits after the deletion would leave an event behind until the deletion is repeated.
  await endAllPublishes(world)
  await sequence(world, 1000)
  await both(world, 'a deleted account', (store) => store.accounts.delete(account.id, ENTRY))
  await both(world, 'nothing of a deleted account', async ({ accounts, subscriptions, events }) => [
    await accounts.find(account.id),
    await accounts.createAccounts([{ ...account, entry: ENTRY }]),
    await subscriptions.list(account.id, 'live'),
    await events.pageEvents({ ...PAGE, accountId: account.id, mode: 'live' }),
  ])
  const first = world.homes.findIndex((home) => home.account === account)
  const created = await createAccount(world, account.name)
  world.homes = world.homes.toSpliced(first, created.length, ...created)
  for (const index of created.keys()) await subscribe(world, first + index, 0, 2)
}

const PAGE = {
  type: undefined,
  after: undefined,
  limit: 1000,
  horizonMs: Number.MAX_SAFE_INTEGER / 1000,
  personalData: true,
}
const LOG = { state: undefined, type: undefined, eventId: undefined, before: undefined, limit: 1000 }

/** Compares all that can be read. */
export async function compareAll(world: World): Promise<void> {
  for (const { account, mode, subscriptions } of world.homes) {
    const owner = { accountId: account.id, mode }
    await both(world, 'the events', async ({ events }) => byId((await events.pageEvents({ ...PAGE, ...owner })).events))
    await both(world, 'the subscriptions', (store) => store.subscriptions.list(account.id, mode))
    const search = { state: undefined, search: undefined, before: undefined, limit: 100 }
    await both(world, 'the health of subscriptions', ({ health }) => health.overview({ ...owner, ...search }))
    for (const ref of subscriptions) {
      await both(world, 'the deliveries', ({ deliveryLog }) => deliveryLog.page(ref, LOG))
      await both(world, 'the backfill', ({ subscriptions }) => subscriptions.findBackfill(ref))
      await both(world, 'the attempts', ({ deliveryLog }) => deliveryLog.attempts(ref, LOG))
      await both(world, 'the expired deliveries', ({ maintenance }) => maintenance.expiredRanges(ref))
    }
  }
}
