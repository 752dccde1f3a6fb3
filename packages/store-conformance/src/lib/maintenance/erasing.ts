import {
  type CurrentPaths,
  type ErasableEvent,
  type ErasedEvent,
  type EventDraft,
  type EventKey,
  erasedFingerprint,
  idFromUuid,
  type RequestOf,
  type Store,
} from '@callboard/core/store'
import { describe, expect } from 'vitest'
import {
  addAccount,
  addKey,
  addSubscriber,
  addSubscription,
  feed,
  feedDrafts,
  pagesOf,
  publish,
} from '../arranging/arrange.ts'
import { draft, draftsOfOneSubject } from '../arranging/inputs.ts'
import { ALL_ATTEMPTS, attemptOf, leaseAndSettle, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { remove } from '../arranging/subscription-acts.ts'

const CURRENT: CurrentPaths = [{ type: 'order.paid', fingerprint: 'f1' }]
/** The catalogue after `order.paid` has gained a personal-data path. */
const GROWN: CurrentPaths = [{ type: 'order.paid', fingerprint: 'f2' }]

function toErase({ accountId, mode, id, fingerprint, personId }: EventDraft | ErasableEvent): ErasedEvent {
  const personDigest = personId && `k1.${personId}`
  return { accountId, mode, id, from: fingerprint, fingerprint: erasedFingerprint('f1'), body: undefined, personDigest }
}

async function eraseAll(store: Store<unknown>, events: readonly (EventDraft | ErasableEvent)[]) {
  const { since } = await store.maintenance.openTransactions()
  return store.maintenance.erase(events.map(toErase), since)
}

export function describeErasing(it: StoreIt): void {
  describe('erasing', () => {
    it('finds the events of one person in one account and mode', async ({ store }) => {
      const account = await addAccount(store)
      const mine = [draft(account), draft(account)]
      const others = [
        draft(account, { personId: 'person-2' }),
        draft(account, { personId: undefined }),
        draft(account, { mode: 'test' }),
        draft(await addAccount(store)),
      ]
      await publish(store, ...mine, ...others)
      const person = personOf(account)
      const found = await store.maintenance.eventsOfPerson(person, CURRENT, 10)
      expect(found.map(({ id }) => id).sort()).toEqual(mine.map(({ id }) => id))
      expect(found[0]).toEqual({
        accountId: account.id,
        mode: 'live',
        id: found[0]!.id,
        type: 'order.paid',
        body: (await store.events.find(account.id, 'live', found[0]!.id))?.body,
        fingerprint: 'f1',
        personId: 'person-1',
      })
      const [first] = await store.maintenance.eventsOfPerson(person, CURRENT, 1)
      await eraseAll(store, [first!])
      const left = await store.maintenance.eventsOfPerson(person, CURRENT, 10)
      expect(left.map(({ id }) => id)).toEqual(mine.map(({ id }) => id).filter((id) => id !== first!.id))
    })

    it('removes the personal data for every reader, and keeps the rest of the event', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { key: { scopes: ['people.read'] } })
      const [erased, other] = draftsOfOneSubject(account, 2)
      await feedDrafts(store, erased!, other!)
      const before = (await store.events.find(account.id, 'live', erased!.id))!
      expect(await eraseAll(store, [erased!])).toEqual({ events: 1, late: 0, responses: 0 })
      const after = { ...before, patch: null, fingerprint: erasedFingerprint('f1') }
      expect(await store.events.find(account.id, 'live', erased!.id)).toEqual(after)
      const page = { accountId: account.id, mode: 'live', type: undefined, after: undefined, limit: 5 } as const
      const { events } = await store.events.pageEvents({ ...page, horizonMs: 3_600_000, personalData: true })
      expect(events.map(({ patch }) => patch).sort()).toEqual([other!.patch, null].sort())
      const lane = await leaseLane(store)
      expect(lane.lease.id).toBe(subscription.id)
      expect(lane.deliveries.map(({ event }) => event)).toMatchObject([after, { patch: other!.patch }])
    })

    it('removes the personal data from a delivery that is retrying', async ({ store, advance }) => {
      const { account } = await addSubscriber(store, { key: { scopes: ['people.read'] } })
      const [event] = draftsOfOneSubject(account, 1)
      await feedDrafts(store, event!)
      const lane = await leaseAndSettle(store, { retries: [retryOf(event!.id, { delayMs: 1000 })] })
      expect(lane.deliveries[0]?.event?.patch).toBe(event!.patch)
      await eraseAll(store, [event!])
      await advance(1000)
      expect((await leaseLane(store)).deliveries[0]?.event?.patch).toBeNull()
    })

    it('stores the given body, unless the event has already been erased', async ({ store }) => {
      const account = await addAccount(store)
      const [first, second] = draftsOfOneSubject(account, 2)
      await publish(store, first!, second!)
      const [read] = await store.maintenance.eventsOfPerson(personOf(account), CURRENT, 1)
      const { since } = await store.maintenance.openTransactions()
      const erase = (body: string) => store.maintenance.erase([{ ...toErase(read!), body }], since)
      expect(await erase('{"less":true}')).toEqual({ events: 1, late: 0, responses: 0 })
      expect(await erase('{"other":true}')).toEqual({ events: 0, late: 0, responses: 0 })
      expect((await store.events.find(account.id, 'live', read!.id))?.body).toBe('{"less":true}')
    })

    it('removes exactly the stored responses to an erased event, even those of removed subscriptions', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const [erased, other] = draftsOfOneSubject(account, 2)
      await feedDrafts(store, erased!, other!)
      const attempts = [attemptOf(erased!.id), attemptOf(other!.id), attemptOf(erased!.id, { response: undefined })]
      await leaseAndSettle(store, { attempts })
      await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      await remove(store, subscription)
      expect(await eraseAll(store, [erased!])).toEqual({ events: 1, late: 0, responses: 1 })
      const logged = await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)
      expect(logged.toReversed().map(({ response }) => response)).toEqual([undefined, 'oh no', undefined])
      expect(logged.toReversed()).toMatchObject(attempts.map(({ id, status }) => ({ id, status })))
    })

    it('stores no response to an attempt that was in flight while its event was erased', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [erased, other] = draftsOfOneSubject(account, 2)
      await feedDrafts(store, erased!, other!)
      const lane = await leaseLane(store)
      await eraseAll(store, [erased!])
      await settleLane(store, lane, { attempts: [attemptOf(erased!.id), attemptOf(other!.id)] })
      const logged = await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)
      expect(logged.toReversed().map(({ response }) => response)).toEqual([undefined, 'oh no'])
    })

    it('removes the digest, so that a repeated publish finds the event without comparing the inputs', async ({
      store,
    }) => {
      const account = await addAccount(store)
      const first = draft(account, { ownId: true, idempotencyKey: 'once', digests: ['k1.one'] })
      await publish(store, first)
      const another = draft(account, { idempotencyKey: 'once', digests: ['k1.two'] })
      expect(await store.events.publishDrafts([another])).toMatchObject([{ outcome: 'conflict' }])
      await eraseAll(store, [first])
      expect(await store.events.publishDrafts([another])).toMatchObject([{ outcome: 'known', event: { id: first.id } }])
    })

    it('finds, in steps, all events before a given time that may contain personal data', async ({ store, advance }) => {
      const accounts = [await addAccount(store), await addAccount(store)]
      const plain = { patch: null, personId: undefined }
      const holding: EventDraft[] = []
      for (const account of accounts) {
        holding.push(
          draft(account),
          draft(account, { mode: 'test', personId: undefined }),
          draft(account, { patch: null }),
          draft(account, { ...plain, fingerprint: 'older' }),
          draft(account, { ...plain, type: 'no.more' }),
        )
      }
      await publish(store, ...holding, ...accounts.map((account) => draft(account, plain)))
      await advance(600_000)
      const key = await addKey(store, accounts[0]!)
      const publishedBefore = new Date(key.createdAt.getTime() - 300_000)
      await publish(store, draft(accounts[0]!))

      const walk = async (accountId?: string): Promise<string[]> => {
        const request = { accountId, publishedBefore, current: CURRENT, limit: 3 }
        const steps = await pagesOf((after?: EventKey) => store.maintenance.eventsBefore({ ...request, after }))
        return steps.flatMap(({ events }) => events.map(({ id }) => id)).sort()
      }
      const idsOf = (events: readonly EventDraft[]): string[] => events.map(({ id }) => id).sort()
      expect(await walk()).toEqual(idsOf(holding))
      const own = holding.filter(({ accountId }) => accountId === accounts[1]!.id)
      expect(await walk(accounts[1]!.id)).toEqual(idsOf(own))
      await eraseAll(store, own)
      expect(await walk()).toEqual(idsOf(holding.filter((event) => !own.includes(event))))
    })

    it('finds an erased event again, by person and by age, once its type has gained a personal-data path', async ({
      store,
    }) => {
      const account = await addAccount(store)
      const [first, second] = [draft(account), draft(account)]
      await publish(store, first, second, draft(account, { personId: 'person-2' }))
      await eraseAll(store, [first])
      const { maintenance } = store
      const published = async (current: CurrentPaths): Promise<ErasableEvent[]> => {
        const walk = { accountId: account.id, publishedBefore: new Date('9999-01-01'), after: undefined, limit: 10 }
        return (await maintenance.eventsBefore({ ...walk, current })).events
      }
      const idsOf = (events: readonly ErasableEvent[]) => events.map(({ id }) => id).sort()
      expect(idsOf(await maintenance.eventsOfPerson(personOf(account), CURRENT, 10))).toEqual([second.id])
      expect(idsOf(await maintenance.eventsOfPerson(personOf(account), GROWN, 10))).toEqual([first.id, second.id])
      expect(idsOf(await published(CURRENT))).not.toContain(first.id)
      const again = (await published(GROWN)).find(({ id }) => id === first.id)!
      expect(again).toMatchObject({ fingerprint: erasedFingerprint('f1'), personId: undefined })

      // After the second erasure, the event still has its person's digest. The person's events can therefore be found
      // again when the type gains another path.
      const { since } = await maintenance.openTransactions()
      const erased = { ...toErase(again), fingerprint: erasedFingerprint('f2'), body: '{"less":true}' }
      expect(await maintenance.erase([erased], since)).toMatchObject({ events: 1 })
      expect((await store.events.find(account.id, 'live', first.id))?.body).toBe('{"less":true}')
      expect(idsOf(await maintenance.eventsOfPerson(personOf(account), GROWN, 10))).toEqual([second.id])
      expect(idsOf(await maintenance.eventsOfPerson(personOf(account), CURRENT, 10))).toEqual([first.id, second.id])
    })

    it('does not find an erased event again if its type has left the catalogue', async ({ store }) => {
      const account = await addAccount(store)
      const event = draft(account)
      await publish(store, event)
      await eraseAll(store, [event])
      const walk = { accountId: account.id, publishedBefore: new Date('9999-01-01'), after: undefined, limit: 10 }
      expect((await store.maintenance.eventsBefore({ ...walk, current: [] })).events).toEqual([])
      expect(await store.maintenance.eventsOfPerson(personOf(account), [], 10)).toEqual([])
    })

    it('counts the events that may hold personal data but name no person', async ({ store }) => {
      const account = await addAccount(store)
      const nobody = { personId: undefined }
      const erased = draft(account, nobody)
      await publish(
        store,
        draft(account, nobody),
        draft(account, { ...nobody, patch: null, fingerprint: 'older' }),
        draft(account, { ...nobody, type: 'order.refunded' }),
        erased,
        draft(account),
        draft(account, { ...nobody, patch: null }),
        draft(account, { ...nobody, mode: 'test' }),
        draft(await addAccount(store), nobody),
      )
      await eraseAll(store, [erased])
      const count = async (current: CurrentPaths) => {
        const request = { accountId: account.id, mode: 'live', current, limit: 2 } as const
        return Object.fromEntries(await unattributed(store, request))
      }
      expect(await count(CURRENT)).toEqual({ 'order.paid': 2, 'order.refunded': 1 })
      // The erased event and the event without personal data may now hold a field that has become personal.
      expect(await count(GROWN)).toEqual({ 'order.paid': 4, 'order.refunded': 1 })
    })

    it('counts an event that has the lowest id of all', async ({ store }) => {
      const account = await addAccount(store)
      const lowest = draft(account, { id: idFromUuid('evt', '0'.repeat(32)), ownId: true, personId: undefined })
      await publish(store, lowest)
      const walk = { accountId: account.id, mode: 'live', current: CURRENT, after: undefined, limit: 10 } as const
      expect((await store.maintenance.countUnattributed(walk)).types).toEqual(new Map([[lowest.type, 1]]))
    })

    it('still sequences and delivers an event that was erased before it was sequenced', async ({ store }) => {
      const { account } = await addSubscriber(store, { key: { scopes: ['people.read'] } })
      const [event] = draftsOfOneSubject(account, 1)
      await publish(store, event!)
      await eraseAll(store, [event!])
      await store.deliveries.sequence(10)
      const [delivery] = (await leaseLane(store)).deliveries
      expect(delivery).toMatchObject({ eventId: event!.id, event: { patch: null } })
      expect(await feed(store, account, 1)).toHaveLength(1)
    })
  })
}

/** Counts, by type, the events that may hold personal data but name no person. */
export async function unattributed(
  { maintenance }: Store<unknown>,
  walk: Omit<RequestOf<'maintenance', 'countUnattributed'>, 'after'>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { types } of await pagesOf((after?: string) => maintenance.countUnattributed({ ...walk, after })))
    for (const [type, events] of types) counts.set(type, (counts.get(type) ?? 0) + events)
  return counts
}

function personOf({ id }: { readonly id: string }) {
  return { accountId: id, mode: 'live', personId: 'person-1', personDigests: ['k2.person-1', 'k1.person-1'] } as const
}
