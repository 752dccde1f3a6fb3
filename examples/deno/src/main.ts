import { runPlatform } from '@callboard-examples/ticketing'

/**
 * Declares only the members of Deno's API used here. Deno's own types would change the global types of every other
 * package.
 */
declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen: () => void },
    handler: (request: Request) => Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
}

await runPlatform(async ({ fetch, port, hostname }) => {
  const server = Deno.serve({ port, hostname, onListen: () => undefined }, fetch)
  return { port: server.addr.port, close: () => server.shutdown() }
})
