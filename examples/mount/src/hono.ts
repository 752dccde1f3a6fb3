import { startWorker } from '@callboard/delivery'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { callboard, closing, pool, router, sell } from './callboard.ts'

const app = new Hono()
app.on('ALL', ['/v1/*', '/openapi.json'], (c) => router.fetch(c.req.raw))
app.post('/orders', async (c) => c.json(await sell((await c.req.json()).email), 201))

const worker = await startWorker(callboard)
const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' }, () =>
  console.log('ready'),
)

process.once('SIGTERM', async () => {
  closing.abort()
  await Promise.all([new Promise((closed) => server.close(closed)), worker.stop()])
  await pool.end()
})
