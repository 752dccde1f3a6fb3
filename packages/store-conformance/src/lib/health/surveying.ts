import { SILENCE_MS } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addKey, addSubscriber, addSubscription, feed } from '../arranging/arrange.ts'
import { ENTRY } from '../arranging/inputs.ts'
import { LEASE_MS, leaseAndSettle, leaseLane, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove } from '../arranging/subscription-acts.ts'

const HOUR_MS = 3_600_000
const NOBODY = { lanes: 0, longestMs: 0 }

export function describeSurveying(it: StoreIt): void {
  describe('a survey', () => {
    it('finds no problem with a store that is ready, and no work in an empty store', async ({ store }) => {
      const { findings, work } = await store.survey(HOUR_MS)
      expect(findings.map(({ verdict }) => verdict)).not.toContain('problem')
      expect(work).toEqual({
        clock: expect.any(Date),
        lapsed: NOBODY,
        due: NOBODY,
        disabled: [],
        pausedLanes: 0,
        workers: [],
        lost: [],
      })
    })

    it('counts the lanes with work due, and reports how long the first of these lanes has waited', async ({
      store,
      advance,
    }) => {
      const { account, key } = await addSubscriber(store)
      await addSubscription(store, key)
      await feed(store, account, 1)
      await advance(HOUR_MS)
      const { due, lapsed } = (await store.survey(HOUR_MS)).work!
      expect(due.lanes).toBe(2)
      expect(due.longestMs).toBeGreaterThanOrEqual(HOUR_MS)
      expect(lapsed).toEqual(NOBODY)
    })

    it('counts leases that have expired, but not leases that are held or were released', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      expect((await store.survey(HOUR_MS)).work).toMatchObject({ lapsed: NOBODY, due: NOBODY })
      await advance(LEASE_MS + HOUR_MS)
      const { lapsed, due } = (await store.survey(HOUR_MS)).work!
      expect(lapsed.lanes).toBe(1)
      expect(lapsed.longestMs).toBeGreaterThanOrEqual(HOUR_MS)
      expect(due).toEqual(NOBODY)
      await settleLane(store, lane)
      await leaseNothing(store)
      expect((await store.survey(HOUR_MS)).work).toMatchObject({ lapsed: NOBODY, due: NOBODY })
    })

    it('names the workers that have died, until another worker has taken over from them', async ({
      store,
      advance,
    }) => {
      const attend = (id: string) => store.deliveries.attend({ id, name: `name of ${id}`, details: undefined })
      for (const id of ['w1', 'w2', 'w3']) await attend(id)
      await store.deliveries.releaseLeases({ of: 'worker', worker: 'w3' })
      expect((await store.survey(HOUR_MS)).work).toMatchObject({ lost: [] })
      await advance(SILENCE_MS)
      const { workers, lost, clock } = (await store.survey(HOUR_MS)).work!
      expect(workers).toEqual([])
      expect(lost.map(({ name }) => name).sort()).toEqual(['name of w1', 'name of w2'])
      for (const { lastAt } of lost) expect(clock.getTime() - lastAt.getTime()).toBeGreaterThanOrEqual(SILENCE_MS)
      await attend('w4')
      expect((await store.survey(HOUR_MS)).work).toMatchObject({ workers: [{ name: 'name of w4' }], lost: [] })
    })

    it('counts recently disabled subscriptions by reason, but not subscriptions that were removed', async ({
      store,
      advance,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      await disable(store, subscription)
      await advance(2 * HOUR_MS)
      const [failing, removed] = [await addSubscription(store, key), await addSubscription(store, key)]
      await feed(store, account, 1)
      await remove(store, removed)
      await leaseAndSettle(store, { disable: 'gone' })
      const revoked = await addKey(store, account)
      await addSubscription(store, revoked)
      await addSubscription(store, revoked)
      await store.keys.revokeKey(account.id, revoked.id, ENTRY)
      const { disabled } = (await store.survey(HOUR_MS)).work!
      expect(Object.fromEntries(disabled.map(({ reason, subscriptions }) => [reason, subscriptions]))).toEqual({
        gone: 1,
        key: 2,
      })
      expect(await store.subscriptions.find(failing)).toMatchObject({ state: 'disabled' })
    })
  })
}

/** Expects that no lane has work. */
async function leaseNothing(store: Parameters<typeof leaseLane>[0]): Promise<void> {
  await expect(leaseLane(store)).rejects.toThrow('leased 0')
}
