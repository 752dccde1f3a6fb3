import process from 'node:process'
import { startWorker } from '@callboard/delivery'
import { callboard, closing, pool, router, sell } from './callboard.ts'

/**
 * Declares only the members of Deno's API used here. Deno's own types would change the global types of every other
 * package.
 */
declare const Deno: {
  serve(
    options: { port: number; hostname: string },
    handler: (request: Request) => Promise<Response>,
  ): { shutdown(): Promise<void> }
}

const worker = await startWorker(callboard)
const server = Deno.serve({ port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' }, async (request) => {
  if (new URL(request.url).pathname !== '/orders') return router.fetch(request)
  return Response.json(await sell((await request.json()).email), { status: 201 })
})
console.log('ready')

process.once('SIGTERM', async () => {
  closing.abort()
  await Promise.all([server.shutdown(), worker.stop()])
  await pool.end()
})
