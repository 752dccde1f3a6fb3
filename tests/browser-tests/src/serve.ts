import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'

export interface Served {
  readonly origin: string
  stop(): Promise<void>
}

/** Starts a real server on 127.0.0.1. Browsers treat that address as secure, so WebCrypto is available. */
export async function serve(fetch: (request: Request) => Response | Promise<Response>): Promise<Served> {
  const server = createAdaptorServer({ fetch })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}
