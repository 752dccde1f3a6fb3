// Receives deliveries with every server that this runtime has: `node:http`, and `Bun.serve` or `Deno.serve`. Prints the
// outcome of each request.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { verifyRequest, type WebhookRequest, WebhookVerificationError } from '@callboard/signature/request'

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
/** The outcome of each delivery, by server: `event <id>`, or the code of the refusal. */
export type Received = Readonly<Record<string, readonly string[]>>

type Serve = (handler: (request: Request) => Promise<Response>) => { readonly port: number; stop(): Promise<void> }
/** Globals of Bun and Deno, for which this program has no types. */
interface Globals {
  readonly Bun?: { serve(options: object): { readonly port: number; stop(force: boolean): Promise<void> } }
  readonly Deno?: {
    serve(options: object, handler: object): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
  }
}
const Bun: Globals['Bun'] = Reflect.get(globalThis, 'Bun')
const Deno: Globals['Deno'] = Reflect.get(globalThis, 'Deno')

const options: { secret: string; deliveries: Delivery[] } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))

async function outcome(request: WebhookRequest): Promise<string> {
  try {
    return `event ${(await verifyRequest(request, { secret: options.secret, maxBytes: 10_000 })).id}`
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.code : `fault ${error}`
  }
}

async function deliverTo(port: number): Promise<string[]> {
  const received: string[] = []
  for (const delivery of options.deliveries) {
    const answer = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...delivery }).then((response) =>
      response.text(),
    )
    received.push(await answer.catch(() => 'cut off'))
  }
  return received
}

async function byNode(readBefore: boolean): Promise<string[]> {
  const server = createServer(async (request, response) => {
    if (readBefore) for await (const _ of request);
    response.end(await outcome(request))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const received = await deliverTo(typeof address === 'object' ? (address?.port ?? 0) : 0)
  server.closeAllConnections()
  server.close()
  return received
}

async function byOwn(serve: Serve): Promise<string[]> {
  const { port, stop } = serve(async (request) => new Response(await outcome(request)))
  const received = await deliverTo(port)
  await stop()
  return received
}

const received: Record<string, string[]> = { node: await byNode(false), 'node, read before': await byNode(true) }
if (Bun !== undefined)
  received['own'] = await byOwn((fetch) => {
    const server = Bun.serve({ fetch, port: 0, hostname: '127.0.0.1' })
    return { port: server.port, stop: () => server.stop(true) }
  })
if (Deno !== undefined)
  received['own'] = await byOwn((handler) => {
    const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: () => undefined }, handler)
    return { port: server.addr.port, stop: () => server.shutdown() }
  })
process.stdout.write(JSON.stringify(received), () => process.exit(0))
