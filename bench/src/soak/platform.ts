// A platform in a process of its own: it serves the API over HTTP and publishes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRouter } from '@callboard/router'
import { toNodeHandler } from '@callboard/router/node'
import { accountOf } from '../lib/arrange.ts'
import { noteEvent, openBenchCallboard } from '../lib/bench-callboard.ts'
import { answer } from '../lib/helper.ts'
import { type Footprint, footprint } from './footprint.ts'
import { createPace } from './pace.ts'

/** How many publishes run at the same time, as on a server that handles this many concurrent requests. */
const AT_ONCE = 8

let published = 0

const replies = {
  /** Serves, and publishes `perSecond` events a second for so many accounts. */
  async start(url: string, accounts: number, perSecond: number): Promise<{ port: number; token: string }> {
    const { callboard } = openBenchCallboard(url)
    const { token } = await callboard.keys.issue({ accountId: accountOf(0), name: 'reader', scopes: ['webhooks.read'] })
    const server = createServer(toNodeHandler(createRouter(callboard)))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const pace = createPace(perSecond)
    const publish = async (): Promise<void> => {
      for (;;) {
        await pace()
        await callboard.publish(noteEvent(accountOf(published % accounts), published++))
      }
    }
    for (let i = 0; i < AT_ONCE; i++) void publish()
    return { port: (server.address() as AddressInfo).port, token }
  },
  sample: (): Footprint & { readonly published: number } => ({ ...footprint(), published }),
}
export type PlatformReplies = typeof replies

answer(replies)
