import type { Account, Mode } from '@callboard/core'
import type { NewSubscription, Store, SubscriptionRef } from '@callboard/core/store'
import type { StoreFixture, StoreTransaction } from '../fixtures.ts'
import { FIRST_CATALOG } from './catalog.ts'
import { type Home, idOf, type Model, type ModelKey } from './model.ts'

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

/** Creates two accounts. In each mode, an account has one key that may see personal data and one key that may not. */
export async function createWorld(fixture: ModelFixture): Promise<World> {
  const { store } = fixture
  const homes: Home[] = []
  const world: World = {
    store,
    advance: (ms) => fixture.advance(ms),
    begin: fixture.begin?.bind(fixture),
    startedAt: Date.now(),
    time: 0,
    homes,
    held: [],
    open: [],
    outbox: 0,
    generation: 0,
    catalog: FIRST_CATALOG,
    formerCatalog: FIRST_CATALOG,
    made: 0,
  }
  for (const name of ['Ada', 'Bob']) {
    const account = { id: `account-${name}`, name }
    await store.accounts.create(account)
    for (const mode of ['live', 'test'] as const satisfies Mode[]) {
      homes.push(await createHome(world, account, mode))
    }
  }
  return world
}

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
  await store.subscriptions.create(reader, { total: 1, newPerMinute: 1e9 })
  await store.subscriptions.disable(ref, 'platform', [])
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
      expiresAt: expiresAfter === undefined ? undefined : dateIn(world, expiresAfter),
      tokenHash: key.tokenHash,
    },
    1e9,
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
