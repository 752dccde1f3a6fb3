import { createId } from '@callboard/core'
import type { Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feedDrafts, publish } from '../arranging/arrange.ts'
import { draft, newImport } from '../arranging/inputs.ts'
import { eventIds, leaseAndSettle, leaseDue, leaseLane } from '../arranging/lanes.ts'
import { race, tally } from '../arranging/racing.ts'
import type { RaceIt } from '../arranging/store-it.ts'
import { disable, enable, importAll } from '../arranging/subscription-acts.ts'

export function describePublishingRaces<Tx>(it: RaceIt<Tx>): void {
  describe('publishing', () => {
    it.for(['id', 'idempotency key'] as const)(
      'stores one of 50 events with the same %s',
      async (repeated, { store, another }) => {
        const nodes: Store<unknown>[] = [store, await another()]
        const { account } = await addSubscriber(store)
        const marks = repeated === 'id' ? { id: createId('evt'), ownId: true } : { idempotencyKey: 'key' }
        const subject = { type: 'order', id: 'o-1' }
        const outcomes = await race(50, async (index) => {
          const [outcome] = await nodes[index % 2]!.events.publishDrafts([
            draft(account, { ...marks, subject, digests: ['k1.same'] }),
          ])
          return outcome!
        })
        expect(tally(outcomes.map(({ outcome }) => outcome))).toEqual({ stored: 1, known: 49 })
        const ids = outcomes.map((outcome) => ('event' in outcome ? outcome.event.id : undefined))
        expect(new Set(ids).size).toBe(1)
        expect((await store.deliveries.sequence(100)).sequenced).toBe(1)
        expect(eventIds(await leaseLane(store))).toEqual([ids[0]])
        expect((await publish(store, draft(account, { subject })))[0]?.subject.sequence).toBe(2)
      },
    )

    it('does not deadlock when calls name the same subjects in opposite orders', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const account = await addAccount(store)
      const subjects = ['a', 'b', 'c', 'd'].map((id) => ({ type: 'order', id }))
      const calls = await race(20, (index) => {
        const order = index % 2 === 0 ? subjects : subjects.toReversed()
        return publish(nodes[index % 2]!, ...order.map((subject) => draft(account, { subject })))
      })
      for (const { id } of subjects) {
        const counted = calls.flat().filter(({ subject }) => subject.id === id)
        expect(counted.map(({ subject }) => subject.sequence).sort((a, b) => a - b)).toEqual(
          calls.map((_, index) => index + 1),
        )
      }
    })

    it.for(['commit', 'rollback'] as const)(
      'makes a repeated event wait until the first event’s transaction ends (%s)',
      async (end, { store, begin }) => {
        const account = await addAccount(store)
        const marks = { idempotencyKey: 'key', digests: ['k1.same'] }
        const [first, second] = [draft(account, marks), draft(account, marks)]
        const transaction = await begin()
        await store.events.publishDrafts([first], transaction.tx)
        const repeat = store.events.publishDrafts([second])
        await transaction[end]()
        const expected =
          end === 'commit'
            ? { outcome: 'known', event: { id: first.id } }
            : { outcome: 'stored', event: { id: second.id } }
        expect(await repeat).toMatchObject([expected])
      },
    )

    it('shows no event before its transaction has committed', async ({ store, begin }) => {
      const { account } = await addSubscriber(store)
      const event = draft(account)
      const transaction = await begin()
      await store.events.publishDrafts([event], transaction.tx)
      expect(await store.events.find(account.id, 'live', event.id)).toBeUndefined()
      expect((await store.deliveries.sequence(10)).sequenced).toBe(0)
      await transaction.commit()
      expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
    })

    it('delivers the event of a slow transaction that other transactions have overtaken', async ({ store, begin }) => {
      const { account } = await addSubscriber(store)
      const [slow, fast] = [draft(account), draft(account)]
      const transaction = await begin()
      await store.events.publishDrafts([slow], transaction.tx)
      await feedDrafts(store, fast)
      expect(eventIds(await leaseAndSettle(store))).toEqual([fast.id])
      await transaction.commit()
      await store.deliveries.sequence(10)
      expect(eventIds(await leaseLane(store))).toEqual([slow.id])
    })

    it.for(['created', 'imported', 'enabled'] as const)(
      'delivers events that were not visible yet when a subscription was %s',
      async (how, { store, begin }) => {
        const account = await addAccount(store)
        const key = await addKey(store, account)
        const created = how === 'enabled' ? await addSubscription(store, key) : undefined
        if (created !== undefined) await disable(store, created)
        const [visible, invisible] = [draft(account), draft(account)]
        const transaction = await begin()
        await store.events.publishDrafts([invisible], transaction.tx)
        await publish(store, visible)
        if (how === 'imported') await importAll(store, [newImport(account)])
        else if (created === undefined) await addSubscription(store, key)
        else await enable(store, created)
        await transaction.commit()
        expect((await store.deliveries.sequence(10)).sequenced).toBe(2)
        expect(eventIds(await leaseAndSettle(store))).toEqual([invisible.id])
        expect(await leaseDue(store)).toEqual([])
      },
    )
  })
}
