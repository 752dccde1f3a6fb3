import { once } from 'node:events'
import { type Client, createClient, type Subscription } from '@callboard/client'
import { CommandError } from '../command-error.ts'
import type { Messages } from '../messages.ts'
import type { Output } from '../output.ts'
import { toCommandError } from './api-failure.ts'
import type { Certificate } from './certificate.ts'
import { type Answer, close, createDeliveryServer, listen, type VerifiedDelivery } from './delivery-server.ts'
import { createReporter } from './event-report.ts'
import { explainSilence, newestEvent } from './explain-silence.ts'
import { forward } from './forward.ts'
import type { ListenSettings } from './listen-settings.ts'

/**
 * Marks the subscription as created by this command. If this run is killed, a later run can then find the subscription.
 */
const EXTERNAL_REF = 'callboard-listen'
/** The most event types that the API accepts for one subscription. */
const MOST_TYPES = 50

export interface ListenByDeliverySettings extends ListenSettings {
  /** 0 picks any free port. */
  readonly port: number
  /** Undefined for plain HTTP, for example behind a tunnel. */
  readonly certificate: Certificate | undefined
  /** The file that holds the certificate. */
  readonly certificatePath: string | undefined
  /** The URL through which the platform reaches the port; by default `https://localhost:<port>/hook`. */
  readonly target: string | undefined
  /** Whether to keep the subscription when the command ends. */
  readonly keep: boolean
}

/** Listens, subscribes, and reports each delivery until the signal aborts. Then unsubscribes. */
export async function listenByDelivery(settings: ListenByDeliverySettings, out: Output, err: Messages): Promise<void> {
  const { url, key, certificate, port, forwardTo, keep, printSecret, signal } = settings
  const client = createClient({ baseUrl: url, apiKey: key })
  const reporter = createReporter(out, err)
  let subscription: Promise<Subscription> | undefined

  const forwardDelivery = async ({ payload: event, body, rawHeaders }: VerifiedDelivery): Promise<Answer> => {
    reporter.came({ event, verified: true })
    if (forwardTo === undefined) {
      reporter.done({ event, verified: true })
      return { status: 204 }
    }
    const outcome = await forward(forwardTo, { body, rawHeaders }, signal)
    reporter.done({ event, verified: true, forwarded: { to: forwardTo, outcome } })
    return outcome.answer
  }
  const server = createDeliveryServer({
    certificate,
    secret: async () => (await subscription)?.secret ?? '',
    onDelivery: forwardDelivery,
    onRefused: reporter.refused,
  })
  const opened = await listen(server, port)
  const protocol = certificate === undefined ? 'http' : 'https'
  try {
    const targetUrl = settings.target ?? `https://localhost:${opened}/hook`
    const eventTypes = settings.eventTypes ?? (await everyType(client, signal))
    // A key without the right to read events is accepted, but then the command cannot explain why no delivery arrives.
    const newest = await newestEvent(client, eventTypes, signal).catch(() => undefined)
    subscription = client.subscriptions.create({ targetUrl, eventTypes, externalRef: EXTERNAL_REF }, { signal })
    const { id, created, secret } = await subscription
    if (out.json) out.ndjson({ subscription: { id, targetUrl, eventTypes, secret: printSecret ? secret : undefined } })
    err.note(
      `${created ? 'Subscribed' : 'Found the subscription of an earlier run'}: ${id}, to ${eventTypes.join(', ')}.`,
    )
    const tunnel = settings.target === undefined ? '' : `, which must lead to ${protocol}://localhost:${opened}`
    err.note(
      `Deliveries arrive at ${targetUrl}${tunnel}${forwardTo ? `, and are forwarded to ${forwardTo.href}` : ''}.`,
    )
    if (printSecret) err.note(`Signing secret: ${secret}`)
    err.note(keep ? 'Ctrl-C stops this and keeps the subscription.' : 'Ctrl-C unsubscribes.')
    const path = settings.certificatePath
    void explainSilence({ client, server, eventTypes, newest, targetUrl, certificate: path, err, signal })
    if (!signal.aborted) await once(signal, 'abort')
    if (keep) return
    await unsubscribe(client, id)
    err.note(`Unsubscribed ${id}.`)
  } catch (error) {
    if (!signal.aborted || error instanceof CommandError) throw toCommandError(error)
  } finally {
    await close(server)
  }
}

async function everyType(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const types = (await client.eventTypes({ signal })).data.map(({ type }) => type)
  if (types.length > MOST_TYPES)
    throw new CommandError(
      `There are ${types.length} event types, but a subscription can have at most ${MOST_TYPES}: name some with --events.`,
    )
  if (types.length === 0) throw new CommandError('The platform has no event types to subscribe to.')
  return types
}

async function unsubscribe(client: Client, id: string): Promise<void> {
  try {
    await client.subscriptions.remove(id, { timeoutMs: 5_000 })
  } catch (error) {
    const cause = toCommandError(error)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(`The subscription ${id} could not be removed and still exists: ${reason}`, { cause })
  }
}
