import {
  ERASED_FINGERPRINT,
  type ErasableEvent,
  type ErasedEvent,
  type EventDraft,
  type Store,
} from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, publish } from './arrange.ts'
import { draft, draftsOfOneSubject } from './inputs.ts'
import { ALL_ATTEMPTS, attemptOf, leaseAndSettle, leaseLane, retryOf, settleLane } from './lanes.ts'
import type { StoreIt } from './store-it.ts'

function toErase({ accountId, mode, id, fingerprint }: ErasableEvent, body?: string): ErasedEvent {
  return { accountId, mode, id, from: fingerprint, body }
}

async function eraseAll(store: Store<unknown>, events: readonly EventDraft[]) {
  return store.maintenance.erase(
    events.map(({ accountId, mode, id, fingerprint }) => ({ accountId, mode, id, from: fingerprint, body: undefined })),
  )
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
      const person = { accountId: account.id, mode: 'live', personId: 'person-1' } as const
      const found = await store.maintenance.eventsOfPerson(person, 10)
      expect(found.map(({ id }) => id).sort()).toEqual(mine.map(({ id }) => id))
      expect(found[0]).toEqual({
        accountId: account.id,
        mode: 'live',
        id: found[0]!.id,
        type: 'order.paid',
        body: (await store.events.find(account.id, 'live', found[0]!.id))?.body,
        fingerprint: 'f1',
      })
      const [first] = await store.maintenance.eventsOfPerson(person, 1)
      await store.maintenance.erase([toErase(first!)])
      const left = await store.maintenance.eventsOfPerson(person, 10)
      expect(left.map(({ id }) => id)).toEqual(mine.map(({ id }) => id).filter((id) => id !== first!.id))
    })

    it('removes the personal data for every reader, and keeps the rest of the event', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { key: { scopes: ['people.read'] } })
      const [erased, other] = draftsOfOneSubject(account, 2)
      await publish(store, erased!, other!)
      await store.deliveries.sequence(10)
      const before = (await store.events.find(account.id, 'live', erased!.id))!
      expect(await eraseAll(store, [erased!])).toEqual({ events: 1, responses: 0 })
      const after = { ...before, patch: null, fingerprint: ERASED_FINGERPRINT }
      expect(await store.events.find(account.id, 'live', erased!.id)).toEqual(after)
      const page = { accountId: account.id, mode: 'live', type: undefined, after: undefined, limit: 5 } as const
      const { events } = await store.events.page({ ...page, horizonMs: 3_600_000, personalData: true })
      expect(events.map(({ patch }) => patch).sort()).toEqual([other!.patch, null].sort())
      const lane = await leaseLane(store)
      expect(lane.lease.id).toBe(subscription.id)
      expect(lane.deliveries.map(({ event }) => event)).toMatchObject([after, { patch: other!.patch }])
    })

    it('removes the personal data from a delivery that is retrying', async ({ store, advance }) => {
      const { account } = await addSubscriber(store, { key: { scopes: ['people.read'] } })
      const [event] = draftsOfOneSubject(account, 1)
      await publish(store, event!)
      await store.deliveries.sequence(10)
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
      const [read] = await store.maintenance.eventsOfPerson({ ...refOf(first!), personId: 'person-1' }, 1)
      expect(await store.maintenance.erase([toErase(read!, '{"less":true}')])).toEqual({ events: 1, responses: 0 })
      expect(await store.maintenance.erase([toErase(read!, '{"other":true}')])).toEqual({ events: 0, responses: 0 })
      expect((await store.events.find(account.id, 'live', read!.id))?.body).toBe('{"less":true}')
    })

    it('removes exactly the stored responses to an erased event, even those of removed subscriptions', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const [erased, other] = draftsOfOneSubject(account, 2)
      await publish(store, erased!, other!)
      await store.deliveries.sequence(10)
      const attempts = [attemptOf(erased!.id), attemptOf(other!.id), attemptOf(erased!.id, { response: undefined })]
      await leaseAndSettle(store, { attempts })
      await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      await store.subscriptions.remove(subscription, ['api'])
      expect(await eraseAll(store, [erased!])).toEqual({ events: 1, responses: 1 })
      const logged = await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)
      expect(logged.toReversed().map(({ response }) => response)).toEqual([undefined, 'oh no', undefined])
      expect(logged.toReversed()).toMatchObject(attempts.map(({ id, status }) => ({ id, status })))
    })

    it('stores no response to an attempt that was in flight while its event was erased', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [erased, other] = draftsOfOneSubject(account, 2)
      await publish(store, erased!, other!)
      await store.deliveries.sequence(10)
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
      expect(await store.events.publish([another])).toMatchObject([{ outcome: 'conflict' }])
      await eraseAll(store, [first])
      expect(await store.events.publish([another])).toMatchObject([{ outcome: 'known', event: { id: first.id } }])
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
        const current = [{ type: 'order.paid', fingerprint: 'f1' }]
        const ids: string[] = []
        let after: ErasableEvent | Omit<ErasableEvent, 'type' | 'body' | 'fingerprint'> | undefined
        do {
          const step = await store.maintenance.eventsBefore({ accountId, publishedBefore, current, after, limit: 3 })
          ids.push(...step.events.map(({ id }) => id))
          after = step.next
        } while (after !== undefined)
        return ids.sort()
      }
      const idsOf = (events: readonly EventDraft[]): string[] => events.map(({ id }) => id).sort()
      expect(await walk()).toEqual(idsOf(holding))
      const own = holding.filter(({ accountId }) => accountId === accounts[1]!.id)
      expect(await walk(accounts[1]!.id)).toEqual(idsOf(own))
      await eraseAll(store, own)
      expect(await walk()).toEqual(idsOf(holding.filter((event) => !own.includes(event))))
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

function refOf({ accountId, mode }: EventDraft): Pick<EventDraft, 'accountId' | 'mode'> {
  return { accountId, mode }
}
