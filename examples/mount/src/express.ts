import { startWorker } from '@callboard/delivery'
import { toNodeHandler } from '@callboard/router/node'
import express from 'express'
import { callboard, closing, pool, router, sell } from './callboard.ts'

const app = express()
app.use(['/v1', '/openapi.json'], toNodeHandler(router))
app.use(express.json())
app.post('/orders', async (request, response) => {
  response.status(201).json(await sell(request.body.email))
})

const worker = await startWorker(callboard)
const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => console.log('ready'))

process.once('SIGTERM', async () => {
  closing.abort()
  await Promise.all([new Promise((closed) => server.close(closed)), worker.stop()])
  await pool.end()
})
