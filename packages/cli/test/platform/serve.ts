import { createServer } from 'node:http'
import { startWorker } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { toNodeHandler } from '@callboard/router/node'
import { openPlatform } from './callboard.ts'

// Runs the platform as a process: its API and a worker. The worker trusts the certificates in NODE_EXTRA_CA_CERTS.
const { callboard } = openPlatform(process.env['DATABASE_URL'])
await startWorker(callboard, { retrySchedule: [50, 50] })
const server = createServer(toNodeHandler(createRouter(callboard)))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`ready on http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}.`)
})
