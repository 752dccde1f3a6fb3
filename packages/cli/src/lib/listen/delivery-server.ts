import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type VerifiedWebhook, verify, WebhookVerificationError } from '@callboard/signature'
import { CommandError } from '../command-error.ts'
import type { Certificate } from './certificate.ts'

/** One delivery as it came, its signature found right. */
export interface VerifiedDelivery extends VerifiedWebhook {
  readonly body: Uint8Array
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
}

/** What the sender is answered. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Uint8Array | undefined
}

export interface DeliveryServerOptions {
  /** Undefined: plain HTTP, for a tunnel that ends TLS itself. */
  readonly certificate: Certificate | undefined
  /** Waits for the answer that makes the subscription: a delivery may be quicker. */
  readonly secret: () => Promise<string>
  readonly onDelivery: (delivery: VerifiedDelivery) => Promise<Answer>
  /** A request that is not what it should be, and the code of why. */
  readonly onRefused: (reason: string) => void
}

/** As Callboard allows of an event, several times over. */
const MAX_BYTES = 4 * 1024 * 1024

export function createDeliveryServer({ certificate, secret, onDelivery, onRefused }: DeliveryServerOptions): Server {
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let verified: VerifiedDelivery
    try {
      const body = await readBody(request)
      verified = {
        ...(await verify({ body, headers: request.headers, secret: await secret() })),
        body,
        rawHeaders: request.rawHeaders,
      }
    } catch (error) {
      onRefused(error instanceof WebhookVerificationError ? error.code : 'BROKEN_OFF')
      response.writeHead(400).end()
      return
    }
    const { status, headers = {}, body } = await onDelivery(verified)
    response.writeHead(status, headers).end(body)
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    take(request, response).catch(() => response.destroy())
  }
  return certificate === undefined ? createHttpServer(listener) : createHttpsServer({ ...certificate }, listener)
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MAX_BYTES) throw new WebhookVerificationError('BODY_TOO_LARGE', `The body exceeds ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Listens on this machine alone; resolves with the port, and rejects with words for whoever chose it. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CommandError(`Port ${port} cannot be listened on (${error.code}): choose another by --port.`)),
    )
    server.listen(port, 'localhost', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
