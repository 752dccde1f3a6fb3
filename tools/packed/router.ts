// Each entry point serves the API: as `fetch`, in Node's built-in HTTP server, and in Fastify.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { toFastifyPlugin } from '@callboard/router/fastify'
import { toNodeHandler } from '@callboard/router/node'
import { createMemoryStore } from '@callboard/store-memory'
import fastify from 'fastify'
import { catalog, secretKeys } from './catalog.ts'

const callboard = createCallboard({ catalog, store: createMemoryStore(), secretKeys })
const router = createRouter(callboard)
await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'tests', scopes: ['webhooks.read'] })
const headers = { authorization: `Bearer ${token}` }

const response = await router.fetch(new Request('https://platform.example/v1/me', { headers }))
assert.match(await response.text(), /"name":"Harbour Hall"/)
assert('order.paid' in ((await router.openapi()).webhooks ?? {}))

const server = createServer(toNodeHandler(router)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
assert.equal((await fetch(`http://127.0.0.1:${port}/v1/event-types`, { headers })).status, 200)
server.close()

const app = fastify()
app.register(toFastifyPlugin(router))
const url = await app.listen({ port: 0, host: '127.0.0.1' })
assert.equal((await fetch(`${url}/v1/events`, { headers })).status, 200)
await app.close()
