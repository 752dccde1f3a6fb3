import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { toNodeHandler } from '@callboard/router/node'
import { callboard, logger, pool, router, stopping } from './callboard.ts'

/** Requests in flight get this long to finish after SIGTERM. */
const GRACE_MS = 20_000

const api = toNodeHandler(router)
let started = false

const server = createServer((request, response) => {
  if (request.url === '/livez') return response.end()
  if (request.url === '/readyz') {
    response.statusCode = started && !stopping.signal.aborted ? 200 : 503
    return response.end()
  }
  return api(request, response) // and your own routes
})
server.listen(Number(process.env['PORT'] ?? 3000), () => logger.info(server.address() ?? {}, 'listening'))

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())

// Ready once the database has answered and is migrated. Later outages do not matter here: the API then answers 503 with
// `retry-after`, which a load balancer without any server could not.
while (!started && !stopping.signal.aborted) {
  started = (await callboard.health()).ok
  if (!started) await delay(1_000, undefined, { signal: stopping.signal }).catch(() => undefined)
}
if (started) logger.info('ready')
if (!stopping.signal.aborted) await new Promise((stopped) => stopping.signal.addEventListener('abort', stopped))

setTimeout(() => server.closeAllConnections(), GRACE_MS).unref()
await new Promise((closed) => server.close(closed))
await pool.end()
logger.info('stopped')
