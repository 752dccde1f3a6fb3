import type { Server } from 'node:https'
import { createClient } from '@callboard/client'
import type { CallboardEvent } from '@callboard/signature/request'
import { createReceiver, type ReceiverOptions } from './receiver.ts'
import { ReceiverError } from './receiver-error.ts'
import { toReceiverError } from './to-receiver-error.ts'

export interface RunReceiverOptions {
  /** The URL of the API, and a key with `webhooks.read` and `webhooks.write`. */
  readonly access: { readonly url: string; readonly key: string }
  readonly certificate: ReceiverOptions['certificate']
  /** 0 takes any free port. */
  readonly port: number
  readonly print: (line: string) => void
}

export interface RunningReceiver {
  readonly targetUrl: string
  /** Unsubscribes, then stops. */
  close(): Promise<void>
}

/**
 * Listens, subscribes to every event type, and prints each delivery. Throws a {@link ReceiverError} if it cannot listen
 * or subscribe.
 */
export async function runReceiver({ access, certificate, port, print }: RunReceiverOptions): Promise<RunningReceiver> {
  const secret = Promise.withResolvers<string>()
  // If subscribing fails, this promise is rejected too. If no delivery is waiting for it, nothing else handles the
  // rejection, and Node would exit. The caller gets the error that is thrown below.
  secret.promise.catch(() => undefined)
  const server = createReceiver({
    certificate,
    secret: secret.promise,
    onEvent: (event) => print(lineOf(event)),
    onRefused: (reason) => print(`refused a request: ${reason}`),
  })
  const targetUrl = `https://localhost:${await listen(server, port)}/hook`
  try {
    const client = createClient({ baseUrl: access.url, apiKey: access.key })
    const { data } = await client.eventTypes()
    const eventTypes = data.map(({ type }) => type)
    const subscription = await client.subscriptions.create({ targetUrl, eventTypes, externalRef: 'demo-receiver' })
    const { id, created } = subscription
    secret.resolve(subscription.secret)
    print(`${created ? 'Subscribed' : 'Found the subscription of an earlier run'}: ${id}, to ${eventTypes.join(', ')}.`)
    print(`Listening on ${targetUrl}. Ctrl-C unsubscribes.`)
    return {
      targetUrl,
      async close() {
        try {
          await client.subscriptions.remove(id)
          print(`Unsubscribed ${id}.`)
        } catch (error) {
          throw toReceiverError(error, access.url)
        } finally {
          await stop(server)
        }
      },
    }
  } catch (error) {
    secret.reject(error)
    await stop(server)
    throw toReceiverError(error, access.url)
  }
}

function lineOf({ id, type, subject, occurred_at }: CallboardEvent): string {
  const late = Date.now() - Date.parse(occurred_at)
  return `verified ${type}  ${id}  ${subject.type} ${subject.id} #${subject.sequence}  ${late} ms after it happened`
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', () =>
      reject(new ReceiverError(`Cannot listen on port ${port}. Set RECEIVER_PORT to another port.`)),
    )
    server.listen(port, 'localhost', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
