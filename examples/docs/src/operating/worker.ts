import { createServer } from 'node:http'
import { startWorker, type Worker } from '@callboard/delivery'
import { callboard, pool } from '../start/callboard.ts'

let worker: Worker | undefined

// #region health
// Listens before the worker starts, because `startWorker` waits for a database that is down.
const health = createServer(async (request, response) => {
  if (request.url === '/livez') return response.end() // this process answers: a restart would not help
  const [store, delivering] = [await callboard.health(), worker?.health()]
  response.statusCode = store.ok && delivering?.ok === true ? 200 : 503
  response.end(JSON.stringify({ problem: store.problem, outbox: store.outbox, worker: delivering }))
})
health.listen(Number(process.env['HEALTH_PORT'] ?? 9000), process.env['HEALTH_HOST'] ?? '127.0.0.1')
// #endregion

// The first signal lets deliveries in flight finish; a second one aborts them.
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => (stopping.signal.aborted ? worker?.stop() : stopping.abort()))

worker = await startWorker(callboard, { signal: stopping.signal })
console.log('ready')
await worker.stopped
health.close()
await pool.end()
