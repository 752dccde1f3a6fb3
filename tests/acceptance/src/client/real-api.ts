import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { RateLimits, Scope } from '@callboard/core'
import { createCallboard } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createRouter } from '@callboard/router'
import { createAdaptorServer } from '@hono/node-server'
import { issueKey, orderPaidEvent } from '../arrange.ts'
import { facadeOptions } from '../on-each-store.ts'
import { memoryFixture } from '../stores.ts'

/** Serves the real router on a real socket, with the memory store and one account. */
export interface RealApi {
  readonly baseUrl: string
  /** Issues a key and returns its token. */
  key(scopes?: readonly Scope[], limits?: RateLimits): Promise<string>
  /** Publishes this many orders and then one check-in, and brings them into the feed. */
  publish(orders: number): Promise<void>
  /** Moves the clock of the rate limits forward. */
  advance(ms: number): Promise<void>
  stop(): Promise<void>
}

export async function startRealApi(): Promise<RealApi> {
  const fixture = await memoryFixture()
  const callboard = createCallboard({ ...facadeOptions(fixture), sourceAddresses: ['198.51.100.0/24'] })
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  const { fetch } = createRouter(callboard, { basePath: '/api' })
  const server = createAdaptorServer({ fetch })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/api`,
    async key(scopes = ['webhooks.read', 'webhooks.write', 'people.read'], limits) {
      return (await issueKey(callboard, { scopes, limits })).token
    },
    async publish(orders) {
      for (let i = 1; i <= orders; i++)
        await callboard.publish(orderPaidEvent({ subject: { type: 'order', id: `ord_${i}` } }))
      await callboard.publish({
        accountId: 'acc',
        type: 'attendee.checked_in',
        subject: { type: 'attendee', id: 'att_1' },
        data: { attendee: { id: 'att_1' } },
      })
      const { onSequenced, store } = engineOf(callboard)
      await store.deliveries.sequence(1_000)
      onSequenced()
    },
    advance: (ms) => fixture.advance(ms),
    async stop() {
      server.close()
      await once(server, 'close')
      await fixture.cleanup()
    },
  }
}
