import { createServer } from 'node:http'
import { startWorker } from '@callboard/delivery'
import { callboard, pool } from '../start/callboard.ts'

const worker = await startWorker(callboard)

// #region health
const health = createServer(async (_, response) => {
  const [store, delivering] = [await callboard.health(), worker.health()]
  response.statusCode = store.ok && delivering.ok ? 200 : 503
  response.end(JSON.stringify({ problem: store.problem, outbox: store.outbox, worker: delivering }))
})
health.listen(Number(process.env['HEALTH_PORT'] ?? 9000), '127.0.0.1', () => console.log('ready'))
// #endregion

// The first signal lets deliveries in flight finish; a second one aborts them.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void worker.stop())

await worker.stopped
health.close()
await pool.end()
