import { createServer, type Server } from 'node:http'
import type { WorkerHealth } from '@callboard/delivery'
import { CommandError } from '../command-error.ts'

export interface HealthServerOptions {
  readonly port: number
  /** `127.0.0.1` by default. */
  readonly host?: string | undefined
  readonly workerHealth: () => WorkerHealth
}

/**
 * Answers probes with 200 while the worker runs and reaches its store, otherwise with 503. The body is the worker's
 * health as JSON, but with the number of held-back hosts instead of their names.
 */
export async function startHealthServer({
  port,
  host = '127.0.0.1',
  workerHealth,
}: HealthServerOptions): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
      return
    }
    const { state, ok, heldBack, ...rest } = workerHealth()
    const ready = ok && state === 'running'
    response
      .writeHead(ready ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify({ ok: ready, state, ...rest, heldBackHosts: heldBack.length }))
  })
  return {
    port: await listening(server, port, host),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CommandError(
          `Cannot listen on port ${port} of ${host} (${error.code}): choose another with --health-port.`,
        ),
      ),
    )
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
