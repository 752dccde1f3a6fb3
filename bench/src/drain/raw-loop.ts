// A loop that only signs and sends. It uses Callboard's transport, and records the attempts only if the message that
// starts the process asks for that.
import { createHttpsTransport } from '@callboard/delivery'
import { signSync } from '@callboard/signature'
import { openAttemptBatches } from './attempt-batches.ts'
import { readOrder } from './contender.ts'

/** How many requests are in flight at a time. Of 32, 64, 128 and 256, the loop was fastest with this number. */
const IN_FLIGHT = 64

const { order, ended } = await readOrder()
const { requests, sink, record } = order
const attempts = record ? openAttemptBatches(order.postgresUrl) : undefined
const transport = createHttpsTransport({
  addressPolicy: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
  extraCaCertificates: [sink.ca],
  resolve: async () => ['127.0.0.1'],
})
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const body = Buffer.alloc(1_024, 'x')
let sent = 0

async function send(): Promise<void> {
  while (sent < requests) {
    const n = sent++
    const id = `evt_${n}`
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'raw',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signSync({ id, timestamp, body, secret }),
    }
    const url = sink.urls[n % sink.urls.length] ?? ''
    const outcome = await transport.send({ url, headers, body })
    if (outcome.kind === 'failed') throw new Error(outcome.reason)
    const { status, durationMs, body: answer } = outcome
    attempts?.record({ id, url, status, durationMs, answer })
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, send))
await transport.close()
await attempts?.close()
await ended
