import type { TransportOutcome } from '@callboard/delivery'
import { signSync } from '@callboard/signature'
import { createBenchTransport } from './bench-transport.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

export interface SignedSender {
  /** Signs a body and sends it. Rejects if there is no response. */
  send(delivery: {
    readonly id: string
    readonly url: string
    readonly body: Buffer<ArrayBuffer>
  }): Promise<Extract<TransportOutcome, { readonly kind: 'response' }>>
  close(): Promise<void>
}

/**
 * Sends as Callboard does, for contenders that are other queues or none. Callboard's transport is faster than `fetch`,
 * so with it, only the queues differ.
 */
export function createSignedSender(ca: string): SignedSender {
  const transport = createBenchTransport(ca)
  return {
    async send({ id, url, body }) {
      const timestamp = Math.floor(Date.now() / 1_000)
      const outcome = await transport.send({
        url,
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signSync({ id, timestamp, body, secret: SECRET }),
        },
      })
      if (outcome.kind !== 'response') throw new Error(outcome.reason)
      return outcome
    },
    async close() {
      await transport.close()
    },
  }
}
