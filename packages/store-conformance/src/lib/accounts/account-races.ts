import { describe, expect } from 'vitest'
import { addAccount, publish } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { horizons, NOTHING, retainAll } from '../arranging/retention-passes.ts'
import type { RaceIt } from '../arranging/store-it.ts'

export function describeAccountRaces<Tx>(it: RaceIt<Tx>): void {
  describe('accounts', () => {
    it('deletes an account although a transaction is open, and keeps no event that the transaction commits later', async ({
      store,
      begin,
      another,
    }) => {
      const account = await addAccount(store)
      const subject = { type: 'order', id: 'order-1' }
      await publish(store, draft(account, { subject }))
      const late = [draft(account, { subject }), draft(account), draft(account, { mode: 'test' })]
      const transaction = await begin()
      await store.events.publishDrafts(late, transaction.tx)
      const deleted = await store.accounts.delete(account.id, ENTRY).catch((error: unknown) => error)
      await transaction.commit()
      expect(deleted).toBe(true)
      expect(await retainAll(await another(), horizons())).toEqual(NOTHING)
      for (const { mode, id } of late) expect(await store.events.find(account.id, mode, id)).toBeUndefined()
      expect((await store.deliveries.backlog()).outbox).toBe(0)
      expect((await store.deliveries.sequence(10)).sequenced).toBe(0)
    })
  })
}
