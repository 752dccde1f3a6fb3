import assert from 'node:assert/strict'
import type { Account, Mode } from '@callboard/core'
import type { CurrentPaths, LeasedDelivery, LeasedLane, NewKey, Store, SubscriptionRef } from '@callboard/core/store'
import type { StoreFixture, StoreTransaction } from '../arranging/fixtures.ts'
import { ENTRY, newKey } from '../arranging/inputs.ts'
import { comparable } from './comparable.ts'
import { idOf } from './ids.ts'

export const MINUTE = 60_000

export interface RunnerFixture extends Pick<StoreFixture<unknown>, 'store' | 'cleanup'> {
  /** Stops the store's clock at this time, in milliseconds since 1970. */
  stopClock(at: number): void | Promise<void>
  /** Undefined if the store cannot keep a transaction of the platform open while it serves other calls. */
  readonly begin?: (() => Promise<StoreTransaction<unknown>>) | undefined
}

/** The store under test, the store that says what is right, and what the steps need to know about both. */
export interface World {
  readonly tested: RunnerFixture
  readonly reference: RunnerFixture
  /** The time that the clocks of both stores show. */
  time: number
  homes: Home[]
  held: Held[]
  open: Open[]
  /** The personal-data paths of each event type now, and before the catalogue grew for the last time. */
  catalog: CurrentPaths
  formerCatalog: CurrentPaths
  /** How many ids were created so far. */
  made: number
  /**
   * Subject and sequence of each event, and how often the outbox had been emptied when it was committed; by `keyOf`.
   */
  readonly events: Map<string, { readonly subject: string; readonly sequence: number; readonly generation: number }>
  generation: number
}

/** An account in one mode. */
export interface Home {
  readonly account: Account
  readonly mode: Mode
  readonly keys: Pick<NewKey, 'id' | 'tokenHash'>[]
  readonly subscriptions: SubscriptionRef[]
  readonly eventIds: string[]
  /** How often retention has removed events. */
  retired: number
}

/** A lease in both stores, and what its worker has not settled yet. */
export interface Held {
  readonly leases: readonly [LeasedLane, LeasedLane]
  settledThrough: number
  left: readonly LeasedDelivery[]
}

/** A transaction of the platform that has published an event and is open. */
export interface Open {
  readonly transaction: StoreTransaction<unknown>
  /** Publishes the event in the reference, and notes it. */
  committed(): Promise<void>
}

export async function createWorld(tested: RunnerFixture, reference: RunnerFixture): Promise<World> {
  const catalog = ['a', 'b', 'c'].map((type) => ({ type, fingerprint: 'f1' }))
  const world: World = {
    tested,
    reference,
    time: 0,
    homes: [],
    held: [],
    open: [],
    catalog,
    formerCatalog: catalog,
    made: 0,
    events: new Map(),
    generation: 0,
  }
  await setTime(world, Date.now())
  world.homes = [...(await createAccount(world, 'Ada')), ...(await createAccount(world, 'Bob'))]
  return world
}

/** Makes the same call to both stores, and expects the same answer. Epochs may differ. */
export async function both<Answer>(
  { tested, reference }: Pick<World, 'tested' | 'reference'>,
  what: string,
  call: (store: Store<unknown>, which: 0 | 1) => Promise<Answer>,
): Promise<readonly [Answer, Answer]> {
  const answers = [await call(tested.store, 0), await call(reference.store, 1)] as const
  assert.deepEqual(comparable(answers[0]), comparable(answers[1]), what)
  return answers
}

export async function setTime(world: World, time: number): Promise<void> {
  world.time = time
  await world.tested.stopClock(time)
  await world.reference.stopClock(time)
}

/** Creates an account, and returns its homes, each with a key that may see personal data and one that may not. */
export async function createAccount(world: World, name: string): Promise<Home[]> {
  const account = { id: `account-${name}-${++world.made}`, name }
  await both(world, 'a new account', (store) => store.accounts.createAccounts([{ ...account, entry: ENTRY }]))
  const homes: Home[] = []
  for (const mode of ['live', 'test'] as const) {
    const home: Home = { account, mode, keys: [], subscriptions: [], eventIds: [], retired: 0 }
    for (const personalData of [true, false]) await issueKey(world, home, personalData, undefined)
    homes.push(home)
  }
  return homes
}

export async function issueKey(
  world: World,
  { account, mode, keys }: Home,
  personalData: boolean,
  expiresAfterMs: number | undefined,
): Promise<void> {
  const key = newKey(account, {
    id: idOf('key', ++world.made),
    mode,
    scopes: personalData ? ['webhooks.read', 'people.read'] : ['webhooks.read'],
    tokenHash: tokenHashOf(world.made),
    expiresAt: expiresAfterMs === undefined ? undefined : new Date(world.time + expiresAfterMs),
  })
  await both(world, 'a new key', (store) => store.keys.issueKey(key, 1e9, ENTRY))
  keys.push(key)
}

export function tokenHashOf(number: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => (number >> (8 * (index % 4))) & 0xff)
}

/** Identifies an event. Two accounts may have events with the same id. */
export function keyOf({ accountId, mode }: Pick<SubscriptionRef, 'accountId' | 'mode'>, eventId: string): string {
  return `${accountId} ${mode} ${eventId}`
}

/** Half a minute less than this many minutes, so that a wait never ends at the same time as another. */
export function waitOf(minutes: number): number {
  return minutes === 0 ? 0 : minutes * MINUTE - MINUTE / 2
}

export function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % Math.max(1, items.length)]
}
