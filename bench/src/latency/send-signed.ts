import { createHttpsTransport } from '@callboard/delivery'
import { signSync } from '@callboard/signature'
import { BENCH_TARGETS } from '../lib/bench-callboard.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Signs a body and sends it. Rejects if there is no response. Returns the response's status. */
type SendSigned = (delivery: { readonly id: string; readonly url: string; readonly body: string }) => Promise<number>

/**
 * Sends as Callboard does, for contenders that are other queues. Callboard's transport is faster than `fetch`, so with
 * it, only the queues differ.
 */
export function createSendSigned(ca: string): SendSigned {
  const transport = createHttpsTransport({
    addressPolicy: BENCH_TARGETS,
    extraCaCertificates: [ca],
    resolve: async () => ['127.0.0.1'],
  })
  return async ({ id, url, body: text }) => {
    const body = Buffer.from(text)
    const timestamp = Math.floor(Date.now() / 1000)
    const sent = await transport.send({
      url,
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signSync({ id, timestamp, body, secret: SECRET }),
      },
    })
    if (sent.kind !== 'response') throw new Error(sent.reason)
    return sent.status
  }
}
