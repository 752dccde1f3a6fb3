// A worker signs and delivers an event, and a receiver on this machine verifies it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCallboard } from '@callboard/core'
import { startWorker } from '@callboard/delivery'
import { verifyRequest } from '@callboard/signature/request'
import { createMemoryStore } from '@callboard/store-memory'
import { catalog, paid, secretKeys } from './catalog.ts'

const receiver = createServer().listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo

const callboard = createCallboard({
  catalog,
  store: createMemoryStore(),
  secretKeys,
  targets: { httpLoopbackHosts: ['127.0.0.1'], allowedPorts: 'any' }, // for receivers on this machine
})
await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
const { secret } = await callboard.subscriptions.create({
  accountId: 'acc_1',
  targetUrl: `http://127.0.0.1:${port}/hooks`,
  eventTypes: ['order.paid'],
})

const worker = await startWorker(callboard)
const arrived: Promise<[IncomingMessage, ServerResponse]> = once(receiver, 'request') as never
const published = await callboard.publish(paid('ord_1'))
const [request, response] = await arrived
const event = await verifyRequest<typeof catalog>(request, { secret })
response.end()
assert.equal(event.id, published.id)
assert.equal(event.data.order.id, 'ord_1')

await worker.stop()
receiver.close()
