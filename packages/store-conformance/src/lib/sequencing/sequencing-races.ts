import type { Account } from '@callboard/core'
import type { EventDraft, LeasedLane, Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, addSubscription, publish } from '../arranging/arrange.ts'
import { draft } from '../arranging/inputs.ts'
import { eventIds, leaseDue, settleLane } from '../arranging/lanes.ts'
import { race } from '../arranging/racing.ts'
import type { RaceIt } from '../arranging/store-it.ts'

const ACCOUNTS = 12
const EVENTS = 40

export function describeSequencingRaces<Tx>(it: RaceIt<Tx>): void {
  describe('sequencing many accounts', () => {
    it('delivers each event once, and those of a subject in order, while all kinds of transactions overlap', async ({
      store,
      another,
      begin,
    }) => {
      const nodes: Store<Tx>[] = [store, await another()]
      const subscribers = await race(ACCOUNTS, () => addSubscriber(store))
      const ledger = createLedger()
      const subject = (account: Account, n: number) => ({ type: 'order', id: `${account.id}-${n}` })

      // Some transactions stay open while everything else happens. Half of them are then rolled back.
      const long = await race(4, async (index) => {
        const { account, subscription } = subscribers[index]!
        const transaction = await begin()
        const event = draft(account, { subject: subject(account, -1) })
        await store.events.publishDrafts([event], transaction.tx)
        if (index % 2 === 0) return { account, event: undefined, end: transaction.rollback }
        ledger.owe(subscription.id, event)
        return { account, event, end: transaction.commit }
      })
      let publishing = true
      const published = race(ACCOUNTS, async (index) => {
        const { account, key, subscription } = subscribers[index]!
        const owedBy = [subscription.id]
        for (let n = 0; n < EVENTS; n++) {
          // A subscription that is created meanwhile gets every event that is not visible yet.
          if (n === EVENTS / 2) {
            const { id } = await addSubscription(store, key)
            owedBy.push(id)
            for (const open of long)
              if (open.account === account && open.event !== undefined) ledger.owe(id, open.event)
          }
          const event = draft(account, { subject: subject(account, n % 2) })
          for (const id of owedBy) ledger.owe(id, event)
          if (n % 3 > 0) {
            await publish(nodes[n % 2]!, event)
            continue
          }
          const transaction = await begin()
          await nodes[n % 2]!.events.publishDrafts([event], transaction.tx)
          await transaction.commit()
          const undone = await begin()
          await store.events.publishDrafts([draft(account, { subject: subject(account, 2) })], undone.tx)
          await undone.rollback()
        }
      }).finally(() => {
        publishing = false
      })
      const work = async (worker: number): Promise<number> => {
        const node = nodes[worker]!
        const { sequenced } = await node.deliveries.sequence(7)
        for (const lane of await leaseDue(node, { worker: `w${worker}`, lanes: 100, perLane: 5 })) {
          ledger.deliver(lane)
          await settleLane(node, lane)
        }
        return sequenced
      }
      const working = race(2, async (worker) => {
        while (publishing) await work(worker)
      })
      await Promise.all([published, working])
      for (const { end } of long) await end()
      // A worker that finds nothing may only have been blocked by the other worker. The backlog tells when all is done.
      for (let rounds = 0; rounds < 200; rounds++) {
        await race(2, work)
        if ((await store.deliveries.backlog()).nextInMs === undefined) break
      }
      expect(ledger.delivered()).toEqual(ledger.owed())
    })
  })
}

/** Records the events that are owed to each subscription and those that were delivered to it, subject by subject. */
function createLedger() {
  const owed: [subscription: string, event: string][] = []
  const delivered: [subscription: string, event: string][] = []
  const subjects = new Map<string, string>()

  const bySubject = (entries: readonly (readonly [string, string])[]): Record<string, string[]> => {
    const lists: Record<string, string[]> = {}
    for (const [subscription, event] of entries) {
      const key = `${subscription} ${subjects.get(event) ?? 'never committed'}`
      lists[key] = [...(lists[key] ?? []), event]
    }
    return lists
  }

  return {
    owe(subscription: string, { id, subject }: EventDraft): void {
      subjects.set(id, subject.id)
      owed.push([subscription, id])
    },
    deliver(lane: LeasedLane): void {
      for (const id of eventIds(lane)) delivered.push([lane.lease.id, id])
    },
    owed: () => bySubject(owed),
    delivered: () => bySubject(delivered),
  }
}
