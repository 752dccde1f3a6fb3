// A sender signs and a receiver verifies with `@callboard/signature` alone.
import assert from 'node:assert/strict'
import { generateSecret, sign, signSync, verify, verifySync, WebhookVerificationError } from '@callboard/signature'
import { verifyRequest } from '@callboard/signature/request'

interface Shop {
  'order.paid': { order: { id: string } }
}

const secret = generateSecret()
const id = 'evt_01jd4k8vb3q6zt0x9m7n2p5rwy'
const timestamp = Math.floor(Date.now() / 1000)
const body = JSON.stringify({ id, type: 'order.paid', data: { order: { id: 'ord_1' } } })
const signature = await sign({ id, timestamp, body, secret })
assert.equal(signSync({ id, timestamp, body, secret }), signature)

const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
assert.equal((await verify({ body, headers, secret })).id, id)
assert.equal(verifySync<{ type: string }>({ body, headers, secret }).payload.type, 'order.paid')

const request = new Request('https://receiver.example/hooks', { method: 'POST', headers, body })
const event = await verifyRequest<Shop>(request, { secret })
assert.equal(event.data.order.id, 'ord_1')

// Both entry points throw the same error class.
const forged = new Request('https://receiver.example/hooks', { method: 'POST', headers, body: `${body} ` })
const refusal: unknown = await verifyRequest(forged, { secret }).catch((error: unknown) => error)
assert(refusal instanceof WebhookVerificationError)
assert.equal(refusal.code, 'SIGNATURE_MISMATCH')
