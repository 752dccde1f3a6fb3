import { serve } from '@hono/node-server'

/** Serves on a free port of this machine, and resolves to the port. */
export function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<number> {
  return new Promise((resolve) => {
    serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
  })
}
