import { engineOf } from '@callboard/core/engine'
import { describe, expect } from 'vitest'
import { describeDeliveries, gate, type World } from './delivery-it.ts'

const HOUR_MS = 3_600_000

/** Subscribes this many paths of one new host, which answers once `open` is called, and publishes an event to all. */
async function subscribeMany(world: World<unknown>, count: number) {
  const { opened, open } = gate()
  const paths = Array.from({ length: count }, () => world.path())
  const refs = []
  for (const path of paths) {
    refs.push(await world.subscribe(path))
    world.receiver.answer(path, { after: opened })
  }
  await world.publish()
  const { host } = new URL(world.receiver.url('/'))
  return { paths, refs, open, host }
}

describeDeliveries('the reason why deliveries wait', {
  any(it) {
    describe('a host that takes only a few requests at a time', () => {
      it('is reported by the worker, and in the health of each subscription that waits for it', async ({ world }) => {
        const { paths, refs, open, host } = await subscribeMany(world, 7)
        const worker = await world.work({ patienceMs: 60_000 })
        await world.tap.until(() => worker.health().heldBack.length > 0)
        await world.tap.polls()
        const { lanes, waiting, heldBack } = worker.health()
        expect(waiting).toEqual({ lanes: 7 - lanes, accounts: 1 })
        expect(heldBack).toEqual([{ host, limit: 4, reason: 'new', lanes: 7 - lanes }])

        const { subscriptions } = world.callboard
        const read = async () => {
          const page = await subscriptions.overview({ accountId: 'acc' })
          return page.subscriptions.flatMap(({ health }) => health.heldBack ?? [])
        }
        // The worker reports what it sees about once a second.
        let shown = await read()
        while (shown.length === 0) {
          await world.tap.polls(1)
          shown = await read()
        }
        expect(shown).toEqual(Array.from({ length: 7 - lanes }, () => ({ limit: 4, reason: 'new' })))
        const { store } = engineOf(world.callboard)
        expect(await store.deliveries.gauges()).toMatchObject({ waitingAccounts: 1, heldBackHosts: 1 })
        expect((await store.survey(HOUR_MS)).work!.workers).toMatchObject([{ report: { waiting, heldBack } }])

        open()
        await Promise.all(paths.map((path) => world.receiver.received(path)))
        for (const ref of refs) await world.recorded(ref, 1)
        expect(worker.health()).toMatchObject({ waiting: { lanes: 0, accounts: 0 }, heldBack: [] })
        expect(await read()).toEqual([])
      })
    })

    describe('a worker without a free slot', () => {
      it('does not report subscriptions that wait for a slot as held back by their hosts', async ({ world }) => {
        const { open } = await subscribeMany(world, 3)
        const worker = await world.work({ patienceMs: 60_000, slowLanes: 1 })
        await world.tap.until(() => worker.health().lanes === 1 && worker.health().waiting.lanes === 2)
        await world.tap.polls()
        expect(worker.health()).toMatchObject({ lanes: 1, waiting: { lanes: 2, accounts: 1 }, heldBack: [] })
        open()
      })
    })
  },
})
