import type { Account, Mode } from '@callboard/core'
import type { NewSubscription, Store, SubscriptionRef } from '@callboard/core/store'
import type { StoreFixture, StoreTransaction } from '../fixtures.ts'
import { ENTRY } from '../inputs.ts'
import { create, disable } from '../subscription-acts.ts'
import { FIRST_CATALOG } from './catalog.ts'
import { idOf } from './ids.ts'
import type { Home, Model, ModelKey } from './model.ts'

/** A store and its model. */
export interface World extends Model {
  readonly store: Store<unknown>
  readonly advance: (ms: number) => void | Promise<void>
  /** Undefined if the store cannot keep a transaction of the platform open while it serves other calls. */
  readonly begin: (() => Promise<StoreTransaction<unknown>>) | undefined
}

export interface ModelFixture extends StoreFixture<unknown> {
  readonly begin?: (() => Promise<StoreTransaction<unknown>>) | undefined
}

/** Creates a world with two accounts. */
export async function createWorld(fixture: ModelFixture): Promise<World> {
  const world: World = {
    store: fixture.store,
    advance: (ms) => fixture.advance(ms),
    begin: fixture.begin?.bind(fixture),
    startedAt: Date.now(),
    time: 0,
    homes: [],
    held: [],
    open: [],
    outbox: 0,
    generation: 0,
    catalog: FIRST_CATALOG,
    formerCatalog: FIRST_CATALOG,
    made: 0,
  }
  world.homes = [...(await createAccount(world, 'Ada')), ...(await createAccount(world, 'Bob'))]
  return world
}

/** Creates an account, and returns its homes. */
export async function createAccount(world: World, name: string): Promise<Home[]> {
  const account = { id: `account-${name}-${++world.made}`, name }
  await world.store.accounts.create([{ ...account, entry: ENTRY }])
  return [await createHome(world, account, 'live'), await createHome(world, account, 'test')]
}

/** Creates a home with one key that may see personal data and one key that may not. */
async function createHome(world: World, account: Account, mode: Mode): Promise<Home> {
  const reader = await createReader(world, { accountId: account.id, mode, id: idOf('sub', ++world.made) })
  const home: Home = { account, mode, reader, keys: [], events: [], subscriptions: [], counters: new Map(), retired: 0 }
  for (const personalData of [true, false]) await issueKey(world, home, personalData, undefined)
  return home
}

async function createReader({ store, catalog }: World, ref: SubscriptionRef): Promise<SubscriptionRef> {
  const reader: NewSubscription = {
    ...ref,
    source: 'dashboard',
    identity: undefined,
    enablesFrom: [],
    targetUrl: 'https://hooks.example.com/reader',
    eventTypes: catalog.map(({ type }) => type),
    integration: 'reader',
    externalRef: undefined,
    apiVersion: 'v',
    sealedSecret: 'sealed',
    confirmedBy: undefined,
    personalData: false,
  }
  await create(store, reader, { total: 1, newPerMinute: 1e9 })
  await disable(store, ref)
  return ref
}

export async function issueKey(
  world: World,
  { account, mode, keys }: Home,
  personalData: boolean,
  expiresAfter: number | undefined,
): Promise<void> {
  const key: ModelKey = {
    id: idOf('key', ++world.made),
    tokenHash: tokenHashOf(world.made),
    personalData,
    expiresAt: expiresAfter === undefined ? undefined : world.time + expiresAfter,
    revoked: false,
    successor: undefined,
  }
  await world.store.keys.issue(
    {
      id: key.id,
      accountId: account.id,
      mode,
      name: 'key',
      scopes: personalData ? ['webhooks.read', 'people.read'] : ['webhooks.read'],
      limits: undefined,
      apiVersion: '2026-10-01',
      expiresAt: expiresAfter === undefined ? undefined : dateIn(world, expiresAfter),
      tokenHash: key.tokenHash,
    },
    1e9,
    ENTRY,
  )
  keys.push(key)
}

/** The time that the store's clock will show in this many milliseconds. */
export function dateIn({ time }: Model, ms: number): Date {
  return new Date(Date.now() + time + ms)
}

export function tokenHashOf(number: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => (number >> (8 * (index % 4))) & 0xff)
}
