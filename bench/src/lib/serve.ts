import { serve } from '@hono/node-server'

/** The message that a server sends its parent once it listens. */
export interface ServerNews {
  readonly port: number
  /** API keys that requests can use; empty if the server checks none. */
  readonly tokens: readonly string[]
}

/** Serves on a free port, reports it to the parent process, and exits with the parent. */
export function serveParent(
  fetch: (request: Request) => Response | Promise<Response>,
  tokens: readonly string[] = [],
): void {
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
    const news: ServerNews = { port, tokens }
    process.send?.(news)
  })
  process.on('disconnect', () => {
    server.close()
    process.exit()
  })
}
