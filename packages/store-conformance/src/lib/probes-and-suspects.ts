import { BREAKER_THRESHOLD } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feed } from './arrange.ts'
import { eventIds, LEASE_MS, leaseLane, retryOf, settleLane } from './lanes.ts'
import type { StoreIt } from './store-it.ts'

export function describeProbesAndSuspects(it: StoreIt): void {
  describe('probes and suspects', () => {
    it('leases only one delivery of a lane whose breaker is open', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 3)
      const lane = await leaseLane(store)
      const failed = { cursor: lane.cursor, succeeded: false, failedAttempts: 1 }
      await settleLane(store, lane, { ...failed, failures: BREAKER_THRESHOLD - 1, keep: true })
      await settleLane(store, lane, { ...failed, failures: BREAKER_THRESHOLD, pauseMs: 5000 })
      await advance(5000)
      const probe = await leaseLane(store)
      expect(eventIds(probe)).toEqual(ids.slice(0, 1))
      expect(probe).toMatchObject({
        failures: BREAKER_THRESHOLD,
        through: probe.deliveries[0]?.position,
        deliveries: [{ suspect: false }],
      })
      await settleLane(store, probe)
      expect(eventIds(await leaseLane(store))).toEqual(ids.slice(1))
    })

    it('leases a due retry rather than a new event as the probe', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const [retried] = await feed(store, account, 3)
      const lane = await leaseLane(store)
      const failed = { cursor: lane.cursor + 1, succeeded: false, failedAttempts: 1 }
      await settleLane(store, lane, {
        ...failed,
        failures: BREAKER_THRESHOLD,
        pauseMs: 5000,
        retries: [retryOf(retried!, { delayMs: 1000 })],
      })
      await advance(5000)
      const probe = await leaseLane(store)
      expect(eventIds(probe)).toEqual([retried])
      expect(probe.through).toBe(probe.cursor)
    })

    it('marks one delivery as suspect when a lane was leased twice without being settled', async ({
      store,
      advance,
    }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 3)
      for (let claims = 1; claims <= 2; claims++) {
        const lane = await leaseLane(store)
        expect(eventIds(lane)).toEqual(ids)
        expect(lane.deliveries.some(({ suspect }) => suspect)).toBe(false)
        await advance(LEASE_MS)
      }
      const alone = await leaseLane(store)
      expect(alone.deliveries).toMatchObject([{ eventId: ids[0], suspect: true }])
      expect(alone.through).toBe(alone.deliveries[0]?.position)
      await settleLane(store, alone)
      expect(eventIds(await leaseLane(store))).toEqual(ids.slice(1))
    })

    it('marks nothing as suspect if the worker settled the lane during each lease', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 3)
      for (let claims = 1; claims <= 4; claims++) {
        const lane = await leaseLane(store)
        expect(eventIds(lane)).toEqual(ids)
        await settleLane(store, lane, { cursor: lane.cursor, keep: true })
        await advance(LEASE_MS)
      }
    })

    it('leases a suspect retry without any other delivery', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const [first, second, third] = await feed(store, account, 3)
      const lane = await leaseLane(store)
      const retries = [
        retryOf(first!, { delayMs: 1000 }),
        retryOf(second!, { delayMs: 2000, attempts: 3, suspect: true }),
      ]
      await settleLane(store, lane, { cursor: lane.through - 1, retries })
      await advance(2000)
      const alone = await leaseLane(store)
      expect(alone.deliveries).toMatchObject([{ eventId: second, attempts: 3, suspect: true, position: undefined }])
      expect(alone.through).toBe(alone.cursor)
      await settleLane(store, alone, { ended: [second!] })
      const rest = await leaseLane(store)
      expect(rest.deliveries).toMatchObject([{ eventId: first, suspect: false }, { eventId: third }])
    })
  })
}
