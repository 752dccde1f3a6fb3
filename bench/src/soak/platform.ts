// A platform in a process of its own: it serves the API over HTTP and publishes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRouter } from '@callboard/router'
import { toNodeHandler } from '@callboard/router/node'
import { accountOf } from '../lib/arrange.ts'
import { noteEvent, openBenchCallboard } from '../lib/bench-callboard.ts'
import { answer } from '../lib/helper.ts'
import { createPace } from '../lib/pace.ts'
import { type Footprint, footprint } from './footprint.ts'

/** How many publishes run at the same time, as on a server that handles this many concurrent requests. */
const AT_ONCE = 8

export type PlatformAsk =
  | { readonly start: { readonly url: string; readonly accounts: number; readonly perSecond: number } }
  | { readonly sample: true }

export interface PlatformAnswer extends Footprint {
  readonly published: number
  readonly port: number
  readonly token: string
}

let published = 0
let port = 0
let token = ''

answer<PlatformAsk, PlatformAnswer>(async (ask) => {
  if ('start' in ask) await start(ask.start)
  return { ...footprint(), published, port, token }
})

async function start({
  url,
  accounts,
  perSecond,
}: Extract<PlatformAsk, { readonly start: object }>['start']): Promise<void> {
  const { callboard } = openBenchCallboard(url)
  const key = await callboard.keys.issue({ accountId: accountOf(0), name: 'reader', scopes: ['webhooks.read'] })
  token = key.token
  const server = createServer(toNodeHandler(createRouter(callboard)))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  port = (server.address() as AddressInfo).port
  const pace = createPace(perSecond)
  const publish = async (): Promise<void> => {
    for (;;) {
      await pace()
      await callboard.publish(noteEvent(accountOf(published % accounts), published++))
    }
  }
  for (let i = 0; i < AT_ONCE; i++) void publish()
}
