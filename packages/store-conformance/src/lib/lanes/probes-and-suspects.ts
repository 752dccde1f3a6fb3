import { BREAKER_THRESHOLD, type LeasedLane, SILENCE_MS, type Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feed } from '../arranging/arrange.ts'
import { attemptOf, eventIds, LEASE_MS, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'

/** The last number given to a call. */
let calls = 0

type Advance = (ms: number) => void | Promise<void>
/** Leases the lane, and ends the lease. */
type Ways = Readonly<Record<string, (store: Store<unknown>, advance: Advance) => Promise<LeasedLane>>>

const attend = (store: Store<unknown>, id: string) => store.deliveries.attend({ id, name: id, details: undefined })

const UNSETTLED: Ways = {
  async expired(store, advance) {
    const lane = await leaseLane(store)
    await advance(LEASE_MS)
    return lane
  },
  async 'expired after a part of their visit was settled'(store, advance) {
    const lane = await leaseLane(store)
    const attempts = [attemptOf(lane.deliveries[0]!.eventId)]
    await settleLane(store, lane, { settledThrough: lane.settledThrough, attempts, keep: true })
    await advance(LEASE_MS)
    return lane
  },
  async 'were taken over from dead workers'(store, advance) {
    await attend(store, 'dead')
    const lane = await leaseLane(store, { worker: 'dead' })
    await advance(SILENCE_MS)
    await attend(store, 'alive')
    return lane
  },
  async 'were released, because their calls had failed'(store) {
    const lane = await leaseLane(store, { worker: 'w1', call: ++calls })
    expect(await store.deliveries.releaseLeases({ of: 'calls', worker: 'w1', calls: [calls] })).toBe(1)
    return lane
  },
}

const ACCOUNTED_FOR: Ways = {
  async 'expired after a settlement that kept them'(store, advance) {
    const lane = await leaseLane(store)
    await settleLane(store, lane, { settledThrough: lane.settledThrough, keep: true })
    await advance(LEASE_MS)
    return lane
  },
  async 'were released by workers that left'(store) {
    await attend(store, 'w1')
    const lane = await leaseLane(store, { worker: 'w1' })
    await store.deliveries.releaseLeases({ of: 'worker', worker: 'w1' })
    expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
    return lane
  },
}

export function describeProbesAndSuspects(it: StoreIt): void {
  describe('probes and suspects', () => {
    it('leases only one delivery of a lane whose breaker is open', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 3)
      const lane = await leaseLane(store)
      const failed = { settledThrough: lane.settledThrough, succeeded: false, failedAttempts: 1 }
      await settleLane(store, lane, { ...failed, breakerFailures: BREAKER_THRESHOLD - 1, keep: true })
      await settleLane(store, lane, { ...failed, breakerFailures: BREAKER_THRESHOLD, pauseMs: 5000 })
      await advance(5000)
      const probe = await leaseLane(store)
      expect(eventIds(probe)).toEqual(ids.slice(0, 1))
      expect(probe).toMatchObject({
        breakerFailures: BREAKER_THRESHOLD,
        through: probe.deliveries[0]?.position,
        deliveries: [{ suspect: false }],
      })
      await settleLane(store, probe)
      expect(eventIds(await leaseLane(store))).toEqual(ids.slice(1))
    })

    it.for(Object.entries(UNSETTLED))(
      'leases only the first delivery, as suspect, after two leases in a row %s',
      async ([, loseLease], { store, advance }) => {
        const { account } = await addSubscriber(store)
        const ids = await feed(store, account, 3)
        for (let claims = 1; claims <= 2; claims++) {
          const lane = await loseLease(store, advance)
          expect(eventIds(lane)).toEqual(ids)
          expect(lane.deliveries.some(({ suspect }) => suspect)).toBe(false)
        }
        const alone = await leaseLane(store)
        expect(alone.deliveries).toMatchObject([{ eventId: ids[0], attempts: 0, suspect: true }])
        expect(alone.through).toBe(alone.deliveries[0]?.position)
        await settleLane(store, alone)
        expect(eventIds(await loseLease(store, advance))).toEqual(ids.slice(1))
        expect(eventIds(await leaseLane(store))).toEqual(ids.slice(1))
      },
    )

    it.for(Object.entries(ACCOUNTED_FOR))(
      'marks nothing as suspect, however many leases in a row %s',
      async ([, endLease], { store, advance }) => {
        const { account } = await addSubscriber(store)
        const ids = await feed(store, account, 3)
        for (let claims = 1; claims <= 4; claims++) expect(eventIds(await endLease(store, advance))).toEqual(ids)
      },
    )

    it('leases a suspect retry without any other delivery', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const [first, second, third] = await feed(store, account, 3)
      const lane = await leaseLane(store)
      const retries = [
        retryOf(first!, { delayMs: 1000 }),
        retryOf(second!, { delayMs: 2000, attempts: 3, suspect: true }),
      ]
      await settleLane(store, lane, { settledThrough: lane.through - 1, retries })
      await advance(2000)
      const alone = await leaseLane(store)
      expect(alone.deliveries).toMatchObject([{ eventId: second, attempts: 3, suspect: true, position: undefined }])
      expect(alone.through).toBe(alone.settledThrough)
      await settleLane(store, alone, { ended: [second!] })
      const rest = await leaseLane(store)
      expect(rest.deliveries).toMatchObject([{ eventId: first, suspect: false }, { eventId: third }])
    })
  })
}
