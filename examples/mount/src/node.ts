import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { startWorker } from '@callboard/delivery'
import { toNodeHandler } from '@callboard/router/node'
import { callboard, closing, pool, router, sell } from './callboard.ts'

const api = toNodeHandler(router)
const worker = await startWorker(callboard)

const server = createServer(async (request, response) => {
  if (request.url !== '/orders') return api(request, response)
  const { email } = (await json(request)) as { email: string }
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(await sell(email)))
})
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => console.log('ready'))

process.once('SIGTERM', async () => {
  closing.abort()
  await Promise.all([new Promise((closed) => server.close(closed)), worker.stop()])
  await pool.end()
})
