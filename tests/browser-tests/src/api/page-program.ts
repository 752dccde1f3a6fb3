// Runs in the page, and uses @callboard/client and @callboard/signature as the author of a page would.
import { CallboardApiError, createClient } from '@callboard/client'
import { generateSecret, sign, verify, verifySync, WebhookVerificationError } from '@callboard/signature'
import { verifyRequest } from '@callboard/signature/request'

interface Shop {
  'order.paid': { order: { id: string } }
}

/** A delivery as received. */
export interface Delivery {
  readonly headers: Record<string, string>
  readonly body: string
}

const clientOf = (apiKey: string) => createClient<Shop>({ baseUrl: `${location.origin}/api`, apiKey })

const codeOf = (error: unknown): string => (error instanceof WebhookVerificationError ? error.code : String(error))

export const program = {
  async account(apiKey: string): Promise<string> {
    return (await clientOf(apiKey).me()).entity.name
  },

  async orders(apiKey: string): Promise<string[]> {
    const orders: string[] = []
    for await (const event of clientOf(apiKey).events({ type: 'order.paid', limit: 2 }))
      orders.push(event.data.order.id)
    return orders
  },

  async pages(apiKey: string): Promise<number[]> {
    const pages: number[] = []
    for await (const { data } of clientOf(apiKey).events({ limit: 2 }).pages()) pages.push(data.length)
    return pages
  },

  async comeAndGo(apiKey: string, targetUrl: string): Promise<{ created: boolean; same: boolean }> {
    const { subscriptions } = clientOf(apiKey)
    const input = { targetUrl, eventTypes: ['order.paid'], externalRef: 'flow' } as const
    const first = await subscriptions.create(input)
    const again = await subscriptions.create(input)
    await subscriptions.remove(first.id)
    return { created: first.created, same: first.id === again.id && first.secret === again.secret }
  },

  /** The fields of the error with which `create` rejects. */
  async refusal(apiKey: string, targetUrl: string): Promise<object | undefined> {
    try {
      await clientOf(apiKey).subscriptions.create({ targetUrl, eventTypes: ['order.paid'] })
      return undefined
    } catch (error) {
      if (!(error instanceof CallboardApiError)) throw error
      const { code, message, statusCode, requestId, path, timestamp, issues } = error
      return { code, message, statusCode, requestId, path, timestamp, issues }
    }
  },

  /**
   * Verifies a delivery given as a `Request`, as in a service worker. Resolves to the event's data, or to the error's
   * code if the delivery is refused.
   */
  async received({ headers, body }: Delivery, secret: string): Promise<string> {
    const request = new Request('https://shop.example/hooks', { method: 'POST', headers, body })
    return verifyRequest<Shop>(request, { secret }).then((event) => JSON.stringify(event.data), codeOf)
  },

  /** Verifies a delivery. Resolves to the event type, or to the error's code if the delivery is refused. */
  async verified({ headers, body }: Delivery, secret: string): Promise<string> {
    return verify<{ type: string }>({ headers, body, secret }).then(({ payload }) => payload.type, codeOf)
  },

  async signs(): Promise<string> {
    const secret = generateSecret()
    const body = '{"type":"order.paid"}'
    const timestamp = Math.floor(Date.now() / 1_000)
    const signature = await sign({ id: 'evt_1', timestamp, body, secret })
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    }
    return program.verified({ headers, body }, secret)
  },

  atOnce({ headers, body }: Delivery, secret: string): string {
    try {
      verifySync({ headers, body, secret })
      return 'verified'
    } catch (error) {
      return codeOf(error)
    }
  },
}

Object.assign(globalThis, { program })
