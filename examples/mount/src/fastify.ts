import { startWorker } from '@callboard/delivery'
import { toFastifyPlugin } from '@callboard/router/fastify'
import fastify from 'fastify'
import { callboard, closing, pool, router, sell } from './callboard.ts'

const app = fastify()
app.register(toFastifyPlugin(router))
app.post<{ Body: { email: string } }>('/orders', async (request, reply) => {
  reply.code(201)
  return sell(request.body.email)
})

const worker = await startWorker(callboard)
await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' })
console.log('ready')

process.once('SIGTERM', async () => {
  closing.abort()
  await Promise.all([app.close(), worker.stop()])
  await pool.end()
})
