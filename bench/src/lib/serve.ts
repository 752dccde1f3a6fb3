import { serve } from '@hono/node-server'

/** What a server tells who started it. */
export interface ServerNews {
  readonly port: number
  /** API keys to ask with, where it has any. */
  readonly tokens: readonly string[]
}

/** Serves on a port of its own and tells its parent process; ends with it. */
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
