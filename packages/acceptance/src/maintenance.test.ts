import type { SubscriptionRef } from '@callboard/core'
import { verify } from '@callboard/signature'
import type { Received } from '@callboard/testbed'
import { describe, expect } from 'vitest'
import { describeDeliveries } from './delivery-it.ts'
import { RING } from './on-each-store.ts'

const BOTH_KEYS = { current: 'k2', keys: RING } as const
const NEW_KEY = { current: 'k2', keys: { k2: RING.k2 } } as const

/** The body of a delivery, parsed, once its signature is found good. */
function verified({ headers, body }: Received, secret: string): Promise<unknown> {
  return verify({ headers, body, secret }).then(() => JSON.parse(body.toString()))
}

describeDeliveries('what operators do to what is kept', {
  any: (it) => {
    describe('rewrapping secrets', () => {
      it('lets the former key leave the ring: deliveries are signed with the secrets they had', async ({ world }) => {
        const { callboard, open, path, receiver } = world
        const paths = [path(), path(), path()]
        const subscriptions = []
        for (const each of paths) subscriptions.push(await world.subscribe(each))
        const [rotated] = subscriptions
        const newest = await callboard.subscriptions.rotateSecret(rotated!)

        const both = open({ secretKeys: BOTH_KEYS })
        expect(await both.subscriptions.rewrapSecrets()).toEqual({ rewrapped: 4, unopened: 0, next: undefined })
        expect(await both.subscriptions.rewrapSecrets()).toEqual({ rewrapped: 0, unopened: 0, next: undefined })

        const without = open({ secretKeys: NEW_KEY })
        await world.work({}, without)
        await without.publish({
          account: 'acc',
          type: 'order.paid',
          subject: { type: 'order', id: 'ord_1' },
          data: { order: { id: 'ord_1', buyer: { entity_id: 'per_1' } } },
        })
        for (const [index, each] of paths.entries()) {
          const [request] = await receiver.received(each)
          await verified(request!, subscriptions[index]!.secret)
        }
        await verified(receiver.at(paths[0]!)[0]!, newest)
        expect(world.errors).toEqual([])
      })

      it('goes on where an earlier call ended', async ({ world }) => {
        const both = world.open({ secretKeys: BOTH_KEYS })
        for (let count = 0; count < 5; count++) await world.subscribe(world.path())
        const counts: number[] = []
        let next: SubscriptionRef | undefined
        do {
          const report = await both.subscriptions.rewrapSecrets({ limit: 2, after: next })
          counts.push(report.rewrapped)
          next = report.next
        } while (next !== undefined)
        expect(counts).toEqual([2, 2, 1])
      })

      it('counts a secret that does not open, tells why, and does the others', async ({ world }) => {
        const [lost] = [await world.subscribe(world.path()), await world.subscribe(world.path())]
        const sealed = (await world.callboard.subscriptions.find(lost!))!.secrets[0]!.sealed
        await world.fixture.store.subscriptions.replaceSealed(lost!, sealed, `${sealed.slice(0, -2)}AA`)
        const both = world.open({ secretKeys: BOTH_KEYS })
        expect(await both.subscriptions.rewrapSecrets()).toEqual({ rewrapped: 1, unopened: 1, next: undefined })
        expect(world.errors).toMatchObject([{ code: 'CONFIGURATION_INVALID' }])
      })

      it('leaves a secret that is rotated meanwhile as the rotation made it', async ({ world }) => {
        const subscription = await world.subscribe(world.path())
        const both = world.open({ secretKeys: BOTH_KEYS })
        const { subscriptions } = world.fixture.store
        const read = subscriptions.sealedSecrets
        const racing = world.open({
          secretKeys: BOTH_KEYS,
          store: {
            ...world.fixture.store,
            subscriptions: {
              ...subscriptions,
              async sealedSecrets(after, limit) {
                const found = await read(after, limit)
                for (let turns = 0; turns < 2; turns++) await both.subscriptions.rotateSecret(subscription)
                return found
              },
            },
          },
        })
        expect(await racing.subscriptions.rewrapSecrets()).toEqual({ rewrapped: 0, unopened: 0, next: undefined })
        const now = await both.subscriptions.find(subscription)
        expect(now?.secrets.map(({ sealed }) => sealed.split('.')[1])).toEqual(['k2', 'k2'])
      })
    })
  },
})
