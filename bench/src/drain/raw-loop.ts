// A loop that only signs and sends. It uses Callboard's transport, and records the attempts only if the message that
// starts the process asks for that.
import { createSignedSender } from '../lib/signed-sender.ts'
import { openAttemptBatches } from './attempt-batches.ts'
import { readOrder } from './contender.ts'

/** How many requests are in flight at a time. Of 32, 64, 128 and 256, the loop was fastest with this number. */
const IN_FLIGHT = 64

const { order, ended } = await readOrder()
const { requests, sink, record } = order
const attempts = record ? openAttemptBatches(order.postgresUrl) : undefined
const sender = createSignedSender(sink.ca)
const body = Buffer.alloc(1_024, 'x')
let sent = 0

async function send(): Promise<void> {
  while (sent < requests) {
    const n = sent++
    const id = `evt_${n}`
    const url = sink.urls[n % sink.urls.length] ?? ''
    const { status, durationMs, body: answer } = await sender.send({ id, url, body })
    attempts?.record({ id, url, status, durationMs, answer })
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, send))
await sender.close()
await attempts?.close()
await ended
