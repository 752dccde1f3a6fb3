import { RUNTIMES } from '@callboard/runtimes'
import { generateSecret, sign } from '@callboard/signature'
import { expect, it } from 'vitest'
import { runProgram } from '../targets/run-canary.ts'
import type { Delivery, Received } from './receive.ts'

const secret = generateSecret()

async function delivery(body: string, signed = body): Promise<Delivery> {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await sign({ id: 'evt_1', timestamp, body: signed, secret }),
  }
  return { headers, body }
}

it.each(RUNTIMES)(
  'verifyRequest distinguishes deliveries from forgeries on $name, in the runtime’s own server and in Node’s',
  async (runtime) => {
    const event = '{ "id": "evt_1", "type": "order.paid", "data": { "note": "Zo\\u00eb – 5 €" } }\n'
    const deliveries = [
      await delivery(event),
      await delivery(event, '{}'),
      { ...(await delivery(event)), headers: {} },
      await delivery(''),
      await delivery('x'.repeat(10_001)),
    ]
    const program = new URL('./receive.ts', import.meta.url).href
    const received = await runProgram<Received>(program, { secret, deliveries }, runtime)
    const right = ['event evt_1', 'SIGNATURE_MISMATCH', 'HEADER_MISSING', 'PAYLOAD_INVALID', 'BODY_TOO_LARGE']
    expect(received).toEqual({
      node: right,
      // The fourth delivery has an empty body. Reading an empty body beforehand loses nothing, so its outcome is the
      // same as in `right`.
      'node, read before': ['BODY_INVALID', 'BODY_INVALID', 'HEADER_MISSING', 'PAYLOAD_INVALID', 'BODY_INVALID'],
      ...(!runtime.name.startsWith('Node') && { own: right }),
    })
  },
)
