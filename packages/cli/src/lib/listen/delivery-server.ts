import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type VerifiedWebhook, verify, WebhookVerificationError } from '@callboard/signature'
import { CommandError } from '../command-error.ts'
import type { Certificate } from './certificate.ts'

/** A delivery that was received with a valid signature. */
export interface VerifiedDelivery extends VerifiedWebhook {
  readonly body: Uint8Array
  /** Alternating names and values, as they were sent. */
  readonly rawHeaders: readonly string[]
}

/** The response to the sender. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Uint8Array | undefined
}

export interface DeliveryServerOptions {
  /** Undefined for plain HTTP, for example behind a tunnel that terminates TLS. */
  readonly certificate: Certificate | undefined
  /**
   * Resolves with the signing secret once the API has returned the subscription. A delivery that arrives earlier waits
   * until then.
   */
  readonly secret: () => Promise<string>
  readonly onDelivery: (delivery: VerifiedDelivery) => Promise<Answer>
  /** Called for a request that is not a valid delivery, with a code for the reason. */
  readonly onRefused: (reason: string) => void
}

/** The longest body that is read: several times the size that Callboard allows for an event. */
const MAX_BYTES = 4 * 1024 * 1024

export function createDeliveryServer({ certificate, secret, onDelivery, onRefused }: DeliveryServerOptions): Server {
  const takeDelivery = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
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
    takeDelivery(request, response).catch(() => response.destroy())
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

/** Listens on this machine only. Resolves with the port, or rejects with a message for the user. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CommandError(`Cannot listen on port ${port} (${error.code}): choose another with --port.`)),
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
