import { createId } from '@callboard/core'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, publish } from './arranging/arrange.ts'
import type { TransactionFixture } from './arranging/fixtures.ts'
import { accountToCreate, draft, draftsOfOneSubject, newAccount, newSubscription } from './arranging/inputs.ts'
import { eventIds, leaseDue, leaseLane } from './arranging/lanes.ts'
import { transactionIt } from './arranging/store-it.ts'
import { create, remove } from './arranging/subscription-acts.ts'
import { TIMEOUT_MS } from './arranging/timeout.ts'

/**
 * Tests what the ports promise about the caller's own transaction. For stores that can join a transaction. One
 * connection is enough, because the tests make no other call while a transaction is open.
 */
export function describeTransactions<Tx>(name: string, factory: () => Promise<TransactionFixture<Tx>>): void {
  describe(`a store within the caller's transaction: ${name}`, { timeout: TIMEOUT_MS }, () => {
    const it = transactionIt(factory)

    it('publishes when the transaction commits', async ({ store, begin }) => {
      const { account } = await addSubscriber(store)
      const drafts = draftsOfOneSubject(account, 2)
      const transaction = await begin()
      for (const [index, each] of drafts.entries()) {
        const [outcome] = await store.events.publishDrafts([each], transaction.tx)
        expect(outcome).toMatchObject({ outcome: 'stored', event: { id: each.id, subject: { sequence: index + 1 } } })
      }
      await transaction.commit()
      expect((await store.deliveries.sequence(10)).sequenced).toBe(2)
      expect(eventIds(await leaseLane(store))).toEqual(drafts.map(({ id }) => id))
      expect((await store.events.find(account.id, 'live', drafts[1]!.id))?.body).toContain('"sequence":2')
    })

    it('publishes nothing when the transaction is rolled back, and leaves no gap in the sequence', async ({
      store,
      begin,
    }) => {
      const { account } = await addSubscriber(store)
      const subject = { type: 'order', id: 'o-1' }
      await publish(store, draft(account, { subject }))
      const lost = draft(account, { subject })
      const transaction = await begin()
      expect(await store.events.publishDrafts([lost], transaction.tx)).toMatchObject([
        { outcome: 'stored', event: { subject: { sequence: 2 } } },
      ])
      await transaction.rollback()
      expect(await store.events.find(account.id, 'live', lost.id)).toBeUndefined()
      expect(await store.deliveries.backlog()).toMatchObject({ outbox: 1 })
      expect((await publish(store, draft(account, { subject })))[0]?.subject.sequence).toBe(2)
      expect((await store.deliveries.sequence(10)).sequenced).toBe(2)
      expect(eventIds(await leaseLane(store))).not.toContain(lost.id)
    })

    it.for(['id', 'idempotency key'] as const)(
      'accepts the %s again after its event was rolled back',
      async (repeated, { store, begin }) => {
        const account = await addAccount(store)
        const marks = repeated === 'id' ? { id: createId('evt'), ownId: true } : { idempotencyKey: 'key' }
        const transaction = await begin()
        await store.events.publishDrafts([draft(account, { ...marks, digests: ['k1.one'] })], transaction.tx)
        await transaction.rollback()
        expect(
          (await store.events.publishDrafts([draft(account, { ...marks, digests: ['k1.other'] })]))[0]?.outcome,
        ).toBe('stored')
      },
    )

    it.for(['id', 'idempotency key'] as const)(
      'leaves the transaction usable after an event is published again with the same %s',
      async (repeated, { store, begin }) => {
        const account = await addAccount(store)
        const marks = repeated === 'id' ? { id: createId('evt'), ownId: true } : { idempotencyKey: 'key' }
        const event = draft(account, { ...marks, digests: ['k1.same'] })
        const [first] = await publish(store, event)
        const [again, next] = [{ ...event, id: repeated === 'id' ? event.id : createId('evt') }, draft(account)]

        const transaction = await begin()
        expect(await store.events.publishDrafts([again], transaction.tx)).toEqual([{ outcome: 'known', event: first }])
        expect(await store.events.publishDrafts([{ ...again, digests: ['k1.other'] }], transaction.tx)).toEqual([
          { outcome: 'conflict', event: first },
        ])
        expect(await store.events.publishDrafts([draft(newAccount())], transaction.tx)).toEqual([
          { outcome: 'account_unknown' },
        ])
        expect(await store.events.publishDrafts([next], transaction.tx)).toMatchObject([{ outcome: 'stored' }])
        expect(await store.events.publishDrafts([{ ...next, ownId: true }], transaction.tx)).toMatchObject([
          { outcome: 'known', event: { id: next.id } },
        ])
        await transaction.commit()
        expect(await store.events.find(account.id, 'live', next.id)).toBeDefined()
        expect((await store.deliveries.sequence(10)).sequenced).toBe(2)
      },
    )

    it.for(['create', 'publish'] as const)(
      'creates an account by %s if the transaction commits, and not otherwise',
      async (verb, { store, begin }) => {
        const account = newAccount()
        const created = accountToCreate(account)
        for (const end of ['rollback', 'commit'] as const) {
          const transaction = await begin()
          if (verb === 'create')
            expect((await store.accounts.createAccounts([created], transaction.tx)).created).toEqual([account.id])
          const [outcome] = await store.events.publishDrafts(
            [{ ...draft(account), newAccount: created }],
            transaction.tx,
          )
          expect(outcome).toMatchObject({ outcome: 'stored' })
          await transaction[end]()
          expect(await store.accounts.find(account.id)).toEqual(end === 'commit' ? account : undefined)
        }
      },
    )

    it('delivers nothing to a subscription that was created after the commit', async ({ store, begin }) => {
      const { account, key, subscription } = await addSubscriber(store)
      await remove(store, subscription)
      const transaction = await begin()
      await store.events.publishDrafts([draft(account)], transaction.tx)
      await transaction.commit()
      await create(store, newSubscription(key, { identity: undefined }))
      expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
      expect(await leaseDue(store)).toEqual([])
    })
  })
}
