import type { Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed } from '../arranging/arrange.ts'
import { ENTRY } from '../arranging/inputs.ts'
import {
  ALL_ATTEMPTS,
  attemptOf,
  eventIds,
  LEASE_MS,
  leaseAndSettle,
  leaseDue,
  leaseLane,
  retryOf,
  settleLane,
} from '../arranging/lanes.ts'
import { race } from '../arranging/racing.ts'
import type { RaceIt } from '../arranging/store-it.ts'

export function describeDeliveryRaces<Tx>(it: RaceIt<Tx>): void {
  describe('deliveries', () => {
    it('counts each attempt exactly once in its hour when several workers settle', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 40)
      let written = 0
      const workers = race(4, async (worker) => {
        const node = nodes[worker % 2]!
        // A worker finds nothing to lease while another worker holds the lane, so the number of rounds varies.
        while (written < 40)
          for (const lane of await leaseDue(node, { worker: `w${worker}`, perLane: 3 })) {
            const attempts = eventIds(lane).map((id, index) =>
              attemptOf(id, index === 0 ? {} : { outcome: 'delivered' }),
            )
            await settleLane(node, lane, { attempts })
            written += attempts.length
            // Settles again with the lease that the worker has just released. The store must not count the attempts
            // twice.
            await settleLane(node, lane, { attempts: attempts.map(({ eventId }) => attemptOf(eventId)) })
          }
      })
      await workers
      const logged = await store.deliveryLog.attempts(subscription, { ...ALL_ATTEMPTS, limit: 1000 })
      const delivered = logged.filter(({ outcome }) => outcome === 'delivered').length
      const { hours } = (await store.health.findWithHealth(subscription))!.health
      expect(logged).toHaveLength(40)
      expect(hours.reduce((sum, hour) => sum + hour.delivered, 0)).toBe(delivered)
      expect(hours.reduce((sum, hour) => sum + hour.failed, 0)).toBe(40 - delivered)
    })

    it('leases each lane to exactly one of 8 workers', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const account = await addAccount(store)
      const key = await addKey(store, account)
      const subscriptions = await race(40, () => addSubscription(store, key))
      await feed(store, account, 1)
      const leased: string[] = []
      // Workers skip a lane that another worker is leasing, so one round might not lease every lane.
      for (let rounds = 0; rounds < 20 && leased.length < 40; rounds++) {
        const lanes = await race(8, (index) => leaseDue(nodes[index % 2]!, { worker: `w${index}`, lanes: 10 }))
        leased.push(...lanes.flat().map(({ lease }) => lease.id))
      }
      expect(leased.sort()).toEqual(subscriptions.map(({ id }) => id).sort())
      expect(await leaseDue(store)).toEqual([])
    })

    it('either records the settlement of an expired lease or leases its delivery again, never both', async ({
      store,
      advance,
      another,
    }) => {
      const node = await another()
      for (let rounds = 0; rounds < 10; rounds++) {
        const { account, subscription } = await addSubscriber(store)
        const [event] = await feed(store, account, 1)
        const old = await leaseLane(store)
        await advance(LEASE_MS)
        const [{ fenced }, lanes] = await Promise.all([
          settleLane(store, old, { attempts: [attemptOf(event!)] }),
          leaseDue(node, { worker: 'w2' }),
        ])
        const attempts = await store.deliveryLog.attempts(subscription, {
          eventId: undefined,
          before: undefined,
          limit: 10,
        })
        expect(attempts).toHaveLength(fenced.length === 0 ? 1 : 0)
        expect(lanes.flatMap(eventIds)).toEqual(fenced.length === 0 ? [] : [event])
        for (const lane of lanes) await settleLane(node, lane)
      }
    })

    it('neither loses nor duplicates a delivery that is resent while its attempt is settled', async ({
      store,
      another,
    }) => {
      const node = await another()
      for (let rounds = 0; rounds < 24; rounds++) {
        const { account, subscription } = await addSubscriber(store)
        const [event] = await feed(store, account, 1)
        await leaseAndSettle(store, { retries: [retryOf(event!, { attempts: 1, delayMs: 0 })] })
        const lane = await leaseLane(store)
        const outcome = (['delivered', 'failed', 'exhausted'] as const)[rounds % 3]!
        const attempts = [attemptOf(event!, { outcome, number: 2 })]
        const again = { attempts, retries: [retryOf(event!, { attempts: 2, delayMs: 600_000 })] }
        const [resent] = await Promise.all([
          node.deliveryLog.resend(subscription, event!, ENTRY),
          settleLane(store, lane, outcome === 'failed' ? again : { attempts, ended: [event!] }),
        ])
        // If the resend came before a settlement with a successful attempt, no further attempt is needed. Otherwise the
        // resend leads to exactly one more attempt.
        const sent = (await leaseDue(store)).filter(({ deliveries }) => deliveries.length > 0)
        const satisfied = outcome === 'delivered' && resent === 'hastened'
        expect(sent.flatMap(eventIds), `${outcome}, ${resent}`).toEqual(satisfied ? [] : [event])
        for (const each of sent) await settleLane(store, each, { ended: eventIds(each) })
        expect((await leaseDue(store)).flatMap(eventIds)).toEqual([])
      }
    })

    it('leases a lane again if an event was sequenced while a worker released the lane', async ({ store, another }) => {
      const node = await another()
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      for (let rounds = 0; rounds < 20; rounds++) {
        const lane = await leaseLane(store)
        const [fresh] = await Promise.all([feed(node, account, 1), settleLane(store, lane)])
        const next = await leaseLane(store)
        expect(eventIds(next)).toEqual(fresh)
        await settleLane(store, next, { settledThrough: next.settledThrough })
      }
      await leaseAndSettle(store)
      expect(await leaseDue(store)).toEqual([])
    })
  })
}
