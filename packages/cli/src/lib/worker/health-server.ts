import { createServer, type Server } from 'node:http'
import type { WorkerHealth } from '@callboard/delivery'
import { CommandError } from '../command-error.ts'

export interface HealthServerOptions {
  readonly port: number
  /** `127.0.0.1` by default. */
  readonly host?: string | undefined
  /** Returns undefined while the worker is starting. */
  readonly workerHealth: () => WorkerHealth | undefined
}

/** The path of liveness probes. A restart helps only a process that no longer answers, so it gets 200 in every state. */
const LIVENESS = '/livez'

/**
 * Answers probes with 200 while the worker runs and reaches its store, otherwise with 503; {@link LIVENESS} always gets
 * 200. The body is the worker's health as JSON, but with the number of held-back hosts instead of their names.
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
    const body = report(workerHealth())
    response
      .writeHead(body.ok || request.url === LIVENESS ? 200 : 503, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
      })
      .end(JSON.stringify(body))
  })
  return {
    port: await listening(server, port, host),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function report(health: WorkerHealth | undefined) {
  if (health === undefined) return { ok: false, state: 'starting' }
  const { state, ok, heldBack, ...rest } = health
  return { ok: ok && state === 'running', state, ...rest, heldBackHosts: heldBack.length }
}

function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CommandError(
          `Cannot listen on port ${port} of ${host} (${error.code}): choose others with --health-port and --health-host.`,
        ),
      ),
    )
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
