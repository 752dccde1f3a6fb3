import { startWorker } from '@callboard/delivery'
import { callboard, closing, pool, router, sell } from './callboard.ts'

/**
 * Declares only the members of Bun's API used here. Bun's own types would change the global types of every other
 * package.
 */
declare const Bun: {
  serve(options: {
    port: number
    hostname: string
    routes: Record<string, { POST(request: Request): Promise<Response> }>
    fetch(request: Request): Promise<Response>
  }): { stop(): Promise<void> }
}

const worker = await startWorker(callboard)
const server = Bun.serve({
  port: Number(process.env['PORT'] ?? 3000),
  hostname: '127.0.0.1',
  routes: {
    '/orders': { POST: async (request) => Response.json(await sell((await request.json()).email), { status: 201 }) },
  },
  fetch: router.fetch,
})
console.log('ready')

process.once('SIGTERM', async () => {
  closing.abort()
  await Promise.all([server.stop(), worker.stop()])
  await pool.end()
})
