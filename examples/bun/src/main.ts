import { runPlatform } from '@callboard-examples/ticketing'

/**
 * Declares only the members of Bun's API used here. Bun's own types would change the global types of every other
 * package.
 */
declare const Bun: {
  serve(options: { fetch: (request: Request) => Promise<Response>; port: number; hostname: string }): {
    readonly port: number
    stop(): Promise<void>
  }
}

await runPlatform(async (options) => {
  const server = Bun.serve(options)
  return { port: server.port, close: () => server.stop() }
})
