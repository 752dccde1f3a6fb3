// A loop that only signs and sends. It uses Callboard's transport, and records the attempts only if it is ordered to.
import { answer } from '../lib/helper.ts'
import { createSignedSender } from '../lib/signed-sender.ts'
import { openAttemptBatches } from './attempt-batches.ts'
import type { ContenderOrder } from './contender.ts'

/** How many requests are in flight at a time. Of 32, 64, 128 and 256, the loop was fastest with this number. */
const IN_FLIGHT = 64

let done: Promise<void> | undefined

async function run({ postgresUrl, requests, record, ca, urls }: ContenderOrder): Promise<void> {
  const attempts = record ? openAttemptBatches(postgresUrl) : undefined
  const sender = createSignedSender(ca)
  const body = Buffer.alloc(1_024, 'x')
  let sent = 0
  const send = async (): Promise<void> => {
    while (sent < requests) {
      const n = sent++
      const id = `evt_${n}`
      const url = urls[n % urls.length] ?? ''
      const { status, durationMs, body: answer } = await sender.send({ id, url, body })
      attempts?.record({ id, url, status, durationMs, answer })
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, send))
  await attempts?.close()
}

const start = (order: ContenderOrder): void => {
  done = run(order)
}

answer({ start }, () => done)
