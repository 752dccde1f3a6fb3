import { type Account, createId, type KeyRecord, type SubscriptionRecord } from '@callboard/core'
import type { EventDraft, NewKey, NewSubscription, RequestOf, Store, StoredEvent } from '@callboard/core/store'
import { draftsOfOneSubject, ENTRY, newAccount, newKey, newSubscription, randomBytes } from './inputs.ts'
import { create } from './subscription-acts.ts'

/** A limit of keys that no test reaches. */
const ROOM_FOR_KEYS = 500

/** A key with the hash of its token. */
export type HeldKey = KeyRecord & Pick<NewKey, 'tokenHash'>

export async function addAccount(store: Store<unknown>, overrides?: Partial<Account>): Promise<Account> {
  const account = newAccount(overrides)
  await store.accounts.createAccounts([{ ...account, entry: ENTRY }])
  return account
}

export async function addKey(store: Store<unknown>, account: Account, overrides?: Partial<NewKey>): Promise<HeldKey> {
  const input = newKey(account, overrides)
  const result = await store.keys.issueKey(input, ROOM_FOR_KEYS, ENTRY)
  if (result.outcome !== 'issued') throw new Error(`no key was issued: ${result.outcome}`)
  return { ...result.key, tokenHash: input.tokenHash }
}

export async function addSubscription(
  store: Store<unknown>,
  key: KeyRecord,
  overrides?: Partial<NewSubscription>,
): Promise<SubscriptionRecord> {
  const result = await create(store, newSubscription(key, overrides))
  if (!('subscription' in result)) throw new Error(`no subscription was created: ${result.outcome}`)
  return result.subscription
}

/** An account with a key and a subscription to `order.paid`. */
export async function addSubscriber(
  store: Store<unknown>,
  overrides: { readonly key?: Partial<NewKey>; readonly subscription?: Partial<NewSubscription> } = {},
): Promise<{ account: Account; key: HeldKey; subscription: SubscriptionRecord }> {
  const account = await addAccount(store)
  const key = await addKey(store, account, overrides.key)
  return { account, key, subscription: await addSubscription(store, key, overrides.subscription) }
}

/** Publishes the drafts, and expects each draft to be stored or already known. */
export async function publish(store: Store<unknown>, ...drafts: readonly EventDraft[]): Promise<StoredEvent[]> {
  const outcomes = await store.events.publishDrafts(drafts)
  return outcomes.map((result) => {
    if (result.outcome === 'stored' || result.outcome === 'known') return result.event
    throw new Error(`not published: ${result.outcome}`)
  })
}

/** Publishes and sequences `count` events of one subject. Returns their ids in feed order. */
export async function feed(store: Store<unknown>, account: Account, count: number): Promise<string[]> {
  return feedDrafts(store, ...draftsOfOneSubject(account, count))
}

/** Publishes and sequences these drafts. Returns their ids. */
export async function feedDrafts(store: Store<unknown>, ...drafts: readonly EventDraft[]): Promise<string[]> {
  await publish(store, ...drafts)
  await store.deliveries.sequence(1000)
  return drafts.map(({ id }) => id)
}

/** Reads a list to its end. Returns its pages. */
export async function pagesOf<Place, Page extends { readonly next: Place | undefined }>(
  read: (from: Place | undefined) => Promise<Page>,
): Promise<Page[]> {
  const pages = [await read(undefined)]
  for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) {
    if (pages.length > 1000) throw new Error('the list has no end')
    pages.push(await read(next))
  }
  return pages
}

/** A request to rotate a key, with a successor that does not expire. */
export function rotationOf(
  { accountId, id }: Pick<KeyRecord, 'accountId' | 'id'>,
  overlapMs = 3_600_000,
): RequestOf<'keys', 'rotateKey'> {
  const successor = { id: createId('key'), tokenHash: randomBytes(), lastCharacters: 'k2Rw', expiresAt: undefined }
  return { accountId, keyId: id, successor, overlapMs }
}

/** The account's keys in both modes, valid ones first. */
export async function keysOf(store: Store<unknown>, accountId: string): Promise<readonly KeyRecord[]> {
  return (await store.keys.list({ accountId, mode: undefined, after: undefined, limit: 100 })).keys
}
