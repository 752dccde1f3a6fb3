import { type Account, createId } from '@callboard/core'
import type { FoundEvent, RequestOf, Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, addSubscription, feed, pagesOf, publish } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { attemptOf, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove } from '../arranging/subscription-acts.ts'

type EventSearch = RequestOf<'events', 'searchEvents'>

const HOUR_MS = 3_600_000
/** More failing events than one search of the Postgres store reads from its records of failed deliveries. */
const MANY = 1_100

function search(store: Store<unknown>, { id }: Account, overrides: Partial<EventSearch> = {}) {
  return store.events.searchEvents({
    accountId: id,
    mode: 'live',
    type: undefined,
    id: undefined,
    subject: undefined,
    from: undefined,
    to: undefined,
    failing: false,
    after: undefined,
    limit: 10,
    horizonMs: 48 * HOUR_MS,
    ...overrides,
  })
}

/** All events that a search finds, page by page. */
async function found(
  store: Store<unknown>,
  account: Account,
  overrides: Partial<EventSearch> = {},
): Promise<FoundEvent[]> {
  const pages = await pagesOf((after: EventSearch['after']) => search(store, account, { after, ...overrides }))
  return pages.flatMap(({ events }) => events)
}

async function ids(...args: Parameters<typeof found>): Promise<string[]> {
  return (await found(...args)).map(({ id }) => id)
}

export function describeEventSearch(it: StoreIt): void {
  describe('the search for events', () => {
    it('pages through events newest first, and finds them by id, type, subject and time', async ({ store }) => {
      const account = await addAccount(store)
      const at = (hour: number) => new Date(Date.UTC(2026, 9, 1, hour))
      const made = (hour: number, type: string, subject: string, kind = 'order') =>
        draft(account, { occurredAt: at(hour), type, subject: { type: kind, id: subject } })
      const [first, second, third, fourth] = [
        made(1, 'order.paid', 'ord 1'),
        made(2, 'order.refunded', 'ord 1'),
        made(3, 'order.paid', 'ord_2'),
        made(4, 'order.paid', 'ord_2', 'invoice'),
      ]
      await publish(store, first!, second!, third!, fourth!, draft(account, { mode: 'test' }))
      const all = [fourth!.id, third!.id, second!.id, first!.id]
      for (const limit of [1, 2, 3, 4, 5]) expect(await ids(store, account, { limit })).toEqual(all)
      const [newest] = await found(store, account, { limit: 1 })
      expect(newest).toEqual({
        id: fourth!.id,
        type: 'order.paid',
        occurredAt: at(4),
        subject: { type: 'invoice', id: 'ord_2', sequence: 1 },
        deliveries: {},
        due: 0,
        more: false,
      })
      expect(await ids(store, account, { limit: 1, type: 'order.paid' })).toEqual([all[0], all[1], all[3]])
      expect(await ids(store, account, { limit: 1, subject: 'ord_2' })).toEqual([all[0], all[1]])
      expect(await ids(store, account, { limit: 1, subject: 'order ord_2' })).toEqual([all[1]])
      expect(await ids(store, account, { limit: 1, subject: 'ord 1' })).toEqual([all[2], all[3]])
      expect(await ids(store, account, { subject: 'ord 1', type: 'order.refunded' })).toEqual([all[2]])
      for (const none of ['ord', 'ORD_2', 'order', 'order ', ' ord_2', '%', "'"])
        expect(await ids(store, account, { subject: none })).toEqual([])
      expect(await ids(store, account, { limit: 1, from: at(2) })).toEqual(all.slice(0, 3))
      expect(await ids(store, account, { limit: 1, from: at(2), to: at(4) })).toEqual(all.slice(1, 3))
      expect(await ids(store, account, { limit: 1, to: at(3), subject: 'ord 1' })).toEqual(all.slice(2))
      expect(await ids(store, account, { id: third!.id })).toEqual([third!.id])
      expect(await ids(store, account, { id: third!.id, type: 'order.refunded' })).toEqual([])
      expect(await ids(store, account, { id: third!.id, from: at(4) })).toEqual([])
      for (const id of [createId('evt'), 'evt_1']) expect(await ids(store, account, { id })).toEqual([])
      expect(await ids(store, await addAccount(store), { id: third!.id })).toEqual([])
    })

    it('finds no event that was published before the horizon', async ({ store, advance }) => {
      const account = await addAccount(store)
      const event = draft(account, { subject: { type: 'order', id: 'ord_1' } })
      await publish(store, event)
      await advance(2 * HOUR_MS)
      for (const query of [{}, { type: 'order.paid' }, { subject: 'ord_1' }, { id: event.id }]) {
        expect(await ids(store, account, { ...query, horizonMs: HOUR_MS })).toEqual([])
        expect(await ids(store, account, query)).toEqual([event.id])
      }
    })

    it('counts the deliveries of each event by their states', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const other = await addSubscription(store, key)
      const deaf = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      const [delivered, failed, lost] = await feed(store, account, 3)
      for (const lane of await leaseDue(store)) {
        const fails = lane.lease.id === other.id
        await settleLane(store, lane, {
          attempts: [
            attemptOf(delivered!, { outcome: 'delivered' }),
            attemptOf(failed!, { outcome: fails ? 'failed' : 'delivered' }),
            attemptOf(lost!, { outcome: fails ? 'exhausted' : 'delivered' }),
          ],
          retries: fails ? [retryOf(failed!)] : [],
          ended: fails ? [delivered!, lost!] : [delivered!, failed!, lost!],
        })
      }
      const [waiting] = await feed(store, account, 1)
      const unsequenced = draft(account)
      await publish(store, unsequenced)
      const states = async () =>
        Object.fromEntries((await found(store, account)).map(({ id, deliveries }) => [id, deliveries]))
      expect(await states()).toEqual({
        [delivered!]: { delivered: 2 },
        [failed!]: { delivered: 1, retrying: 1 },
        [lost!]: { delivered: 1, exhausted: 1 },
        [waiting!]: { pending: 2 },
        [unsequenced.id]: { pending: 2 },
      })
      await disable(store, other)
      expect(await states()).toMatchObject({
        [delivered!]: { delivered: 2 },
        [failed!]: { delivered: 1, disabled: 1 },
        [lost!]: { delivered: 1, exhausted: 1 },
        [waiting!]: { pending: 1, disabled: 1 },
      })
      // A delivery that had no attempt before its subscription was disabled was never due.
      const due = Object.fromEntries((await found(store, account)).map((event) => [event.id, event.due]))
      expect(due).toMatchObject({ [delivered!]: 2, [failed!]: 2, [lost!]: 2, [waiting!]: 1 })
      await store.deliveryLog.resend(deaf, lost!, ENTRY)
      await remove(store, subscription)
      expect((await states())[lost!]).toMatchObject({ exhausted: 1 })
      expect((await states())[delivered!]).toEqual({ delivered: 1 })
    })

    it('finds the events whose delivery is retrying or has ended without success', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [delivered, failed, lost, recovered] = await feed(store, account, 4)
      await settleLane(store, await leaseLane(store), {
        attempts: [
          attemptOf(delivered!, { outcome: 'delivered' }),
          attemptOf(failed!),
          attemptOf(lost!, { outcome: 'exhausted' }),
          attemptOf(recovered!),
        ],
        retries: [retryOf(failed!, { delayMs: 5 * HOUR_MS }), retryOf(recovered!)],
        ended: [delivered!, lost!],
      })
      const byTime = async (query: Partial<EventSearch> = {}) =>
        (await ids(store, account, { failing: true, ...query })).sort()
      expect(await byTime()).toEqual([failed!, lost!, recovered!].sort())
      await advance(HOUR_MS)
      await settleLane(store, await leaseLane(store), {
        attempts: [attemptOf(recovered!, { outcome: 'delivered', number: 2 })],
        ended: [recovered!],
      })
      await feed(store, account, 1)
      for (const limit of [1, 2, 3]) expect(await byTime({ limit })).toEqual([failed!, lost!].sort())
      const [{ subject }] = (await found(store, account, { id: lost! })) as [FoundEvent]
      expect(await byTime({ id: lost! })).toEqual([lost!])
      expect(await byTime({ id: delivered! })).toEqual([])
      expect(await byTime({ subject: subject.id })).toHaveLength(2)
      expect(await byTime({ subject: `order ${subject.id}`, type: 'order.paid' })).toHaveLength(2)
      expect(await byTime({ subject: 'another' })).toEqual([])
      expect(await byTime({ type: 'order.refunded' })).toEqual([])
      expect(await byTime({ to: new Date(0) })).toEqual([])
      expect(await byTime({ mode: 'test' })).toEqual([])
      await disable(store, subscription)
      expect(await byTime()).toEqual([failed!, lost!].sort())
      await remove(store, subscription)
      expect(await byTime()).toEqual([])
    })

    it('finds all events with failing deliveries page by page, even if there are many', async ({ store }) => {
      const { account } = await addSubscriber(store)
      const [delivered, ...lost] = [
        ...(await feed(store, account, MANY / 2)),
        ...(await feed(store, account, MANY / 2)),
      ]
      const lane = await leaseLane(store, { perLane: MANY })
      await settleLane(store, lane, {
        attempts: lane.deliveries.map(({ eventId }) =>
          attemptOf(eventId, { outcome: eventId === delivered ? 'delivered' : 'exhausted' }),
        ),
        ended: lane.deliveries.map(({ eventId }) => eventId),
      })
      expect((await ids(store, account, { failing: true, limit: 100 })).sort()).toEqual(lost.sort())
      expect(await ids(store, account, { failing: true, subject: 'another' })).toEqual([])
    })
  })
}
