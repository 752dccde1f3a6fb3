import { runPlatform } from '@callboard-examples/ticketing'
import { serve } from '@hono/node-server'

await runPlatform(
  ({ fetch, port, hostname }) =>
    new Promise((resolve, reject) => {
      const server = serve({ fetch, port, hostname }, (address) =>
        resolve({ port: address.port, close: () => new Promise((done) => server.close(() => done())) }),
      )
      server.once('error', reject)
    }),
)
