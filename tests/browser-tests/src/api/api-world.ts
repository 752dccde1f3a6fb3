import { createCallboard, defineCatalog, defineEventType, type Scope } from '@callboard/core'
import { startWorker } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { startReceiver } from '@callboard/testbed'
import * as z from 'zod'
import { bundlePage } from '../bundle-page.ts'
import { serve } from '../serve.ts'
import type { Delivery } from './page-program.ts'

const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z.object({ order: z.object({ id: z.string() }) }),
  sample: { order: { id: 'ord_1' } },
  personalDataPaths: [],
})

/**
 * The API of a platform, and a page that uses the API. Both have the same origin, and the page has a strict content
 * security policy.
 */
export interface ApiWorld {
  readonly pageUrl: string
  key(scopes?: readonly Scope[]): Promise<string>
  sell(...orders: readonly string[]): Promise<void>
  /** Has a real worker deliver an order. Resolves to the delivery and the secret that signed it. */
  deliver(order: string): Promise<{ readonly delivery: Delivery; readonly secret: string }>
  stop(): Promise<void>
}

const PAGE =
  '<!doctype html><title>API</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>'
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:"

export async function startApiWorld(): Promise<ApiWorld> {
  const callboard = createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }),
    store: createMemoryStore(),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } },
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
  })
  await callboard.accounts.create({ id: 'acc', name: 'Harbour Hall' })
  const receiver = await startReceiver()
  const worker = await startWorker(callboard, { extraCaCertificates: [receiver.ca], pollMs: 5 })
  const router = createRouter(callboard, { basePath: '/api' })
  const script = await bundlePage(new URL('./page-program.ts', import.meta.url))
  const served = await serve((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/') return answer(PAGE, 'text/html')
    if (pathname === '/page.js') return answer(script, 'text/javascript')
    return router.fetch(request)
  })

  const sell = async (...orders: readonly string[]): Promise<void> => {
    for (const id of orders)
      await callboard.publish({
        accountId: 'acc',
        type: 'order.paid',
        subject: { type: 'order', id },
        data: { order: { id } },
      })
  }
  const key = async (scopes: readonly Scope[] = ['webhooks.read', 'webhooks.write']): Promise<string> =>
    (await callboard.keys.issue({ accountId: 'acc', name: 'page', scopes: [...scopes] })).token

  return {
    pageUrl: `${served.origin}/`,
    key,
    sell,
    async deliver(order) {
      const { secret } = await callboard.subscriptions.create({
        accountId: 'acc',
        targetUrl: receiver.url(`/${order}`),
        eventTypes: ['order.paid'],
      })
      await sell(order)
      const [received] = await receiver.received(`/${order}`)
      if (received === undefined) throw new Error('nothing was received')
      const headers = Object.fromEntries(
        Object.entries(received.headers).filter(([name]) => name.startsWith('webhook-')),
      )
      return { delivery: { headers: headers as Record<string, string>, body: received.body.toString() }, secret }
    },
    async stop() {
      await worker.stop()
      await served.stop()
      await receiver.stop()
    },
  }
}

function answer(body: string, type: string): Response {
  return new Response(body, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': POLICY },
  })
}
