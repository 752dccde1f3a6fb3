// Node's built-in HTTP server serves the dashboard, with the script and styles that its pages load.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCallboard } from '@callboard/core'
import { createDashboard } from '@callboard/dashboard'
import { toNodeHandler } from '@callboard/router/node'
import { createMemoryStore } from '@callboard/store-memory'
import { catalog, secretKeys } from './catalog.ts'

const callboard = createCallboard({ catalog, store: createMemoryStore(), secretKeys })
await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
const dashboard = createDashboard(callboard, { authorize: () => ({ accountId: 'acc_1', can: ['webhooks.read'] }) })

const server = createServer(toNodeHandler(dashboard)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}`
const page = await fetch(`${url}/dashboard`)
assert.equal(page.status, 200)
const files = [...(await page.text()).matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)"/g)]
assert.equal(files.length, 3)
for (const [, file] of files) assert.equal((await fetch(`${url}${file}`)).status, 200)
assert.equal((await fetch(`${url}/dashboard/events`)).status, 403)
server.close()
server.closeAllConnections()
