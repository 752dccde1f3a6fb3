import type { LaneSettlement, LearntLimits, Store, WorkerReport } from '@callboard/core/store'
import { SILENCE_MS } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, addSubscription, feed, publish } from '../arranging/arrange.ts'
import { draft } from '../arranging/inputs.ts'
import { eventIds, LEASE_MS, leaseDue, leaseLane, retryOf, sequenceAndLease, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'

/** Attends as the worker with this id. Returns the names of the workers from which it took lanes over. */
async function attend(store: Store<unknown>, id: string, details?: WorkerReport) {
  return (await store.deliveries.attend({ id, name: `name of ${id}`, details })).takenOver
}

export function describeAttending(it: StoreIt): void {
  describe('workers that attend', () => {
    it('take over from a worker that has not attended for five seconds, without waiting for the end of its lease', async ({
      store,
      advance,
    }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 2)
      await attend(store, 'w1')
      const lost = await leaseLane(store, { worker: 'w1' })
      await attend(store, 'w2')
      expect(await leaseDue(store, { worker: 'w2' })).toEqual([])
      await advance(SILENCE_MS)
      expect(await attend(store, 'w2')).toEqual(['name of w1'])
      const taken = await leaseLane(store, { worker: 'w2' })
      expect(eventIds(taken)).toEqual(eventIds(lost))
      expect((await settleLane(store, lost)).fenced).toEqual([lost.lease])
      expect((await settleLane(store, taken)).fenced).toEqual([])
      expect(await attend(store, 'w2')).toEqual([])
    })

    it.for([-3_600_000, -5_000, 5_000, 3_600_000])(
      'find all that is due in the seconds after the clock was moved by %i ms, and take over from a dead worker',
      async (step, { store, advance }) => {
        const subscriptionIds: string[] = []
        const oneEvent = async (): Promise<string> => {
          const { account, subscription } = await addSubscriber(store)
          subscriptionIds.push(subscription.id)
          const [eventId = ''] = await feed(store, account, 1)
          return eventId
        }
        const fail = async (settlement: Partial<LaneSettlement>): Promise<void> => {
          const eventId = await oneEvent()
          const lane = await leaseLane(store)
          await settleLane(store, lane, {
            succeeded: false,
            retries: [retryOf(eventId, { delayMs: 5_000 })],
            ...settlement,
          })
        }
        await attend(store, 'dead')
        await oneEvent()
        await leaseLane(store, { worker: 'dead' })
        await attend(store, 'w1')
        await fail({})
        await fail({ breakerFailures: 5, pauseMs: 8_000 })
        await oneEvent()
        await advance(step)
        const takenOver = [...(await attend(store, 'w1'))]
        await advance(15_000)
        takenOver.push(...(await attend(store, 'w1')))
        expect(takenOver).toEqual(['name of dead'])
        expect((await leaseDue(store)).map(({ lease }) => lease.id).sort()).toEqual(subscriptionIds.sort())
      },
    )

    it('move due times only once when several of them notice at once that the clock was set back', async ({
      store,
      advance,
    }) => {
      const { account } = await addSubscriber(store)
      const [eventId = ''] = await feed(store, account, 1)
      const workers = ['w1', 'w2', 'w3']
      for (const worker of workers) await attend(store, worker)
      await settleLane(store, await leaseLane(store), {
        succeeded: false,
        retries: [retryOf(eventId, { delayMs: 7_200_000 })],
      })
      await advance(-3_600_000)
      await Promise.all([...workers, ...workers].map((worker) => attend(store, worker)))
      const ms = (await store.deliveries.backlog()).nextInMs ?? 0
      expect(ms).toBeGreaterThan(7_100_000)
      // How far the clock was set back is known only to a second.
      expect(ms).toBeLessThan(7_210_000)
    })

    it('take no lanes from a worker that keeps attending, whatever details it reports', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      await attend(store, 'w1')
      const held = await leaseLane(store, { worker: 'w1' })
      for (let rounds = 1; rounds <= 4; rounds++) {
        await advance(SILENCE_MS - 1_500)
        expect(await attend(store, 'w1', { waiting: { lanes: rounds, accounts: 1 }, heldBack: [] })).toEqual([])
        expect(await attend(store, 'w2')).toEqual([])
      }
      expect((await settleLane(store, held)).fenced).toEqual([])
    })

    it('are told the store’s time, with which they compare their own', async ({ store, advance }) => {
      const clock = async () => {
        const { deliveries } = store
        return (await deliveries.attend({ id: 'w1', name: 'w1', details: undefined })).clock.getTime()
      }
      const before = await clock()
      await advance(3_600_000)
      expect((await clock()) - before).toBeGreaterThanOrEqual(3_600_000)
    })

    it('tell workers with the same name apart', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      for (const id of ['one', 'other']) await store.deliveries.attend({ id, name: 'same', details: undefined })
      const held = await leaseLane(store, { worker: 'one' })
      await advance(SILENCE_MS)
      expect(await attend(store, 'one')).toEqual(['same'])
      expect((await settleLane(store, held)).fenced).toEqual([])
    })

    it('learn the limits of all other workers when they start, and later those of workers that died', async ({
      store,
      advance,
    }) => {
      const report = { waiting: { lanes: 0, accounts: 0 }, heldBack: [] }
      const at = async (id: string, limits?: LearntLimits) =>
        (await store.deliveries.attend({ id, name: id, details: { ...report, limits } })).limits
      expect(await at('w1', [['a.example', 90]])).toEqual([])
      expect(await at('w2', [['b.example', 40]])).toEqual([['a.example', 90]])
      expect(await at('w1', [['a.example', 95]])).toEqual([])
      await advance(SILENCE_MS - 1_000)
      expect(await at('w2', [['b.example', 45]])).toEqual([])
      await advance(1_000)
      expect(await at('w2')).toContainEqual(['a.example', 95])
      const { workers } = (await store.survey(1_000)).work!
      expect(workers.map((worker) => worker.report)).toEqual([report])
    })

    it('can lease again after another worker took over from them', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      await attend(store, 'w1')
      await leaseLane(store, { worker: 'w1' })
      await advance(SILENCE_MS)
      expect(await attend(store, 'w2')).toEqual(['name of w1'])
      expect(await attend(store, 'w1')).toEqual([])
      const held = await leaseLane(store, { worker: 'w1' })
      expect(await attend(store, 'w2')).toEqual([])
      expect((await settleLane(store, held)).fenced).toEqual([])
    })

    it('do not take over a dead worker’s lane that another worker has leased in the meantime', async ({
      store,
      advance,
    }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      await attend(store, 'w1')
      await leaseLane(store, { worker: 'w1', leaseMs: 1_000 })
      await advance(LEASE_MS)
      const held = await leaseLane(store, { worker: 'w2' })
      expect(await attend(store, 'w2')).toEqual(['name of w1'])
      expect((await settleLane(store, held)).fenced).toEqual([])
    })

    it('release the lanes that some of their calls leased, and keep the others', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      await addSubscription(store, key)
      await feed(store, account, 2)
      const answered = await leaseLane(store, { worker: 'w1', call: 1, lanes: 1 })
      const unanswered = await leaseLane(store, { worker: 'w1', call: 2, lanes: 1 })
      expect(await leaseDue(store)).toEqual([])
      expect(await store.deliveries.releaseLeases({ of: 'calls', worker: 'w1', calls: [2, 3] })).toBe(1)
      expect(await store.deliveries.releaseLeases({ of: 'calls', worker: 'w1', calls: [2, 3] })).toBe(0)
      const again = await leaseLane(store, { worker: 'w2' })
      expect(again.lease.id).toBe(unanswered.lease.id)
      expect(eventIds(again)).toEqual(eventIds(unanswered))
      expect((await settleLane(store, unanswered)).fenced).toEqual([unanswered.lease])
      for (const lane of [answered, again]) expect((await settleLane(store, lane)).fenced).toEqual([])
    })

    it('release the lanes that an unanswered call of `sequence` leased', async ({ store }) => {
      const { account } = await addSubscriber(store)
      const event = draft(account)
      await publish(store, event)
      const { lanes } = await sequenceAndLease(store, { worker: 'w1', call: 1 })
      expect(await store.deliveries.releaseLeases({ of: 'calls', worker: 'w1', calls: [1] })).toBe(lanes.length)
      expect(eventIds(await leaseLane(store))).toEqual([event.id])
    })

    it('release nothing that another worker or another call leased', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      await settleLane(store, await leaseLane(store, { worker: 'w1', call: 1 }))
      await feed(store, account, 1)
      const lost = await leaseLane(store, { worker: 'w2', call: 1 })
      expect(await store.deliveries.releaseLeases({ of: 'calls', worker: 'w1', calls: [1] })).toBe(0)
      expect(await store.deliveries.releaseLeases({ of: 'calls', worker: 'w2', calls: [1] })).toBe(1)
      const held = await leaseLane(store, { worker: 'w2', call: 2 })
      expect(await store.deliveries.releaseLeases({ of: 'calls', worker: 'w2', calls: [1] })).toBe(0)
      expect(await store.deliveries.releaseLeases({ of: 'worker', worker: 'w1' })).toBe(0)
      expect((await settleLane(store, lost)).fenced).toEqual([lost.lease])
      expect((await settleLane(store, held)).fenced).toEqual([])
    })
  })
}
