import type { Server } from 'node:https'
import type { VerifiedWebhook } from '@callboard/signature'
import * as z from 'zod'
import { createApi } from './api.ts'
import { createReceiver, type ReceiverOptions } from './receiver.ts'
import { ReceiverError } from './receiver-error.ts'

export interface RunReceiverOptions {
  /** Where the API is, and a key with `webhooks.read` and `webhooks.write`. */
  readonly access: { readonly url: string; readonly key: string }
  readonly certificate: ReceiverOptions['certificate']
  /** 0 takes any that is free. */
  readonly port: number
  readonly print: (line: string) => void
}

export interface RunningReceiver {
  readonly targetUrl: string
  /** Unsubscribes, then stops. */
  close(): Promise<void>
}

const envelope = z.object({
  type: z.string(),
  occurred_at: z.iso.datetime(),
  subject: z.object({ type: z.string(), id: z.string(), sequence: z.int() }),
})

/** Listens, subscribes itself to every event type, and prints what comes. Throws a {@link ReceiverError}. */
export async function runReceiver({ access, certificate, port, print }: RunReceiverOptions): Promise<RunningReceiver> {
  const api = createApi(access)
  const secret = Promise.withResolvers<string>()
  // Nobody waits for it yet when it fails: the error below is the one that counts.
  secret.promise.catch(() => undefined)
  const server = createReceiver({
    certificate,
    secret: secret.promise,
    onEvent: (event) => print(lineOf(event)),
    onRefused: (reason) => print(`refused a request: ${reason}`),
  })
  const targetUrl = `https://localhost:${await listen(server, port)}/hook`
  try {
    const types = await api.listEventTypes()
    const { id, created, secret: value } = await api.subscribe(targetUrl, types)
    secret.resolve(value)
    print(`${created ? 'Subscribed' : 'Found the subscription of an earlier run'}: ${id}, to ${types.join(', ')}.`)
    print(`Deliveries come to ${targetUrl}. Ctrl-C unsubscribes.`)
    return {
      targetUrl,
      async close() {
        try {
          await api.unsubscribe(id)
          print(`Unsubscribed ${id}.`)
        } finally {
          await stop(server)
        }
      },
    }
  } catch (error) {
    secret.reject(error)
    await stop(server)
    throw error
  }
}

function lineOf({ id, payload }: VerifiedWebhook): string {
  const { data } = envelope.safeParse(payload)
  if (data === undefined) return `verified ${id}, which is no event`
  const { type, subject, occurred_at } = data
  const late = Date.now() - Date.parse(occurred_at)
  return `verified ${type}  ${id}  ${subject.type} ${subject.id} #${subject.sequence}  ${late} ms after it happened`
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', () =>
      reject(new ReceiverError(`Port ${port} cannot be listened on. Set RECEIVER_PORT to another.`)),
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
