import { startReceiver, type TestReceiver } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { newCaller, orderPaidEvent } from './arrange.ts'
import { describeDeliveries, gate, type World } from './delivery-it.ts'

let strange: TestReceiver
beforeAll(async () => {
  strange = await startReceiver()
})
afterAll(() => strange.stop())

let accounts = 0

/** Creates an account with a subscription to each of these URLs. Returns a function that publishes its events. */
async function moveIn({ callboard, subscribe }: World<unknown>, urls: readonly string[]) {
  const accountId = `account-${++accounts}`
  await callboard.accounts.create({ id: accountId, name: accountId })
  const caller = await newCaller(callboard, { accountId })
  for (const url of urls) await subscribe(url, caller)
  return async (events = 1): Promise<void> => {
    await callboard.publishMany(Array.from({ length: events }, () => orderPaidEvent({ accountId })))
  }
}

/** Starts a worker that also trusts the receiver `strange`. */
const work = (world: World<unknown>, patienceMs: number) =>
  world.work({ patienceMs, extraCaCertificates: [world.receiver.ca, strange.ca] })

describeDeliveries('other accounts', {
  any(it) {
    describe('beside two accounts whose host never answers', () => {
      it('are served without waiting for that host, because the worker opens only a few requests to it', async ({
        world,
      }) => {
        const before = strange.log.length
        for (let account = 0; account < 2; account++) {
          const paths = Array.from({ length: 50 }, () => world.path('hanging'))
          for (const path of paths) strange.answer(path, 'hold')
          const publish = await moveIn(
            world,
            paths.map((path) => strange.url(path)),
          )
          await publish(3)
        }
        const open = () => strange.log.length - before
        const worker = await work(world, 20)
        // The worker opens four requests to a host that has never answered. Then it opens four more, one by one, to
        // find out whether the host answers.
        await world.tap.until(() => open() >= 8)

        const path = world.path('healthy')
        const publish = await moveIn(world, [world.receiver.url(path)])
        await publish()
        await world.receiver.received(path)
        await world.tap.polls(20)
        expect(open()).toBe(8)
        expect(worker.health()).toMatchObject({ lanes: 8, waiting: { lanes: 92, accounts: 2 } })
      })
    })

    describe('beside one account with 500 subscriptions at the same host', () => {
      it('are served before its waiting subscriptions, as it may have only half of the requests to the host', async ({
        world,
      }) => {
        const before = strange.log.length
        const arrived = (): string[] => strange.log.slice(before).map((request) => request.path)
        const { opened, open } = gate()
        const paths = Array.from({ length: 500 }, () => world.path('flood'))
        for (const path of paths) strange.answer(path, { after: opened })
        const publish = await moveIn(
          world,
          paths.map((path) => strange.url(path)),
        )
        await publish()
        const worker = await work(world, 60_000)
        await world.tap.until(() => arrived().length === 2)
        expect(worker.health().waiting).toEqual({ lanes: 498, accounts: 1 })

        const path = world.path('other')
        const publishOther = await moveIn(world, [strange.url(path)])
        await publishOther()
        await strange.received(path)
        expect(arrived()).toHaveLength(3)
        open()
        await Promise.all(paths.map((each) => strange.received(each)))
      })
    })
  },
})
