import type { Server } from 'node:https'
import { CallboardApiError, type Client, createClient, type Subscription } from '@callboard/client'
import type { CallboardEvent } from '@callboard/signature/request'
import { createReceiver, type ReceiverOptions } from './receiver.ts'
import { ReceiverError } from './receiver-error.ts'
import { createSideBySide } from './side-by-side.ts'
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

/** The ticketing platform's previous format version. The receiver shows it and the current one side by side. */
const PREVIOUS = '2026-04-01'

/**
 * Listens, subscribes to every event type, and prints each delivery. Subscribes a second time in the previous format
 * version, and prints how the two deliveries of an event differ. Throws a {@link ReceiverError} if it cannot listen or
 * subscribe.
 */
export async function runReceiver({ access, certificate, port, print }: RunReceiverOptions): Promise<RunningReceiver> {
  const secrets = Promise.withResolvers<readonly string[]>()
  // If subscribing fails, this promise is rejected, and the caller gets the error that is thrown below. Without this
  // handler, Node would exit if no delivery was waiting for the promise.
  secrets.promise.catch(() => undefined)
  const compare = createSideBySide()
  const server = createReceiver({
    certificate,
    secrets: secrets.promise,
    onEvent: (event) => {
      for (const line of [lineOf(event), ...compare(event)]) print(line)
    },
    onRefused: (reason) => print(`refused a request: ${reason}`),
  })
  const targetUrl = `https://localhost:${await listen(server, port)}/hook`
  const client = createClient({ baseUrl: access.url, apiKey: access.key })
  try {
    const subscriptions = [await subscribe(client, targetUrl, 'demo-receiver')]
    const previous = createClient({ baseUrl: access.url, apiKey: access.key, apiVersion: PREVIOUS })
    if (subscriptions[0]?.apiVersion !== PREVIOUS && (await isServed(previous)))
      subscriptions.push(await subscribe(previous, `${targetUrl}/${PREVIOUS}`, `demo-receiver-${PREVIOUS}`))
    secrets.resolve(subscriptions.map(({ secret }) => secret))
    for (const { id, created, apiVersion, eventTypes } of subscriptions)
      print(
        `${created ? 'Subscribed' : 'Found the subscription of an earlier run'}: ${id}, in version ${apiVersion}, to ${eventTypes.join(', ')}.`,
      )
    print(`Listening on ${targetUrl}. Ctrl-C unsubscribes.`)
    return {
      targetUrl,
      async close() {
        try {
          for (const { id } of subscriptions) {
            await client.subscriptions.remove(id)
            print(`Unsubscribed ${id}.`)
          }
        } catch (error) {
          throw toReceiverError(error, access.url)
        } finally {
          await stop(server)
        }
      },
    }
  } catch (error) {
    secrets.reject(error)
    await stop(server)
    throw toReceiverError(error, access.url)
  }
}

/** Subscribes to every event type of the client's format version. */
async function subscribe(client: Client, targetUrl: string, externalRef: string): Promise<Subscription> {
  const { data } = await client.eventTypes()
  return client.subscriptions.create({ targetUrl, eventTypes: data.map(({ type }) => type), externalRef })
}

/** Whether the platform has the client's format version. */
async function isServed(client: Client): Promise<boolean> {
  try {
    await client.me()
    return true
  } catch (error) {
    if (error instanceof CallboardApiError && error.statusCode === 400) return false
    throw error
  }
}

function lineOf({ id, type, version, subject, occurred_at }: CallboardEvent): string {
  const late = Date.now() - Date.parse(occurred_at)
  return `verified ${type}  ${id}  in version ${version}  ${subject.type} ${subject.id} #${subject.sequence}  ${late} ms after it happened`
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
