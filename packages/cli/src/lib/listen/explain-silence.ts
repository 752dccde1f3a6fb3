import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@callboard/client'
import type { Messages } from '../messages.ts'

/** The time to wait for a request before saying why nothing has arrived. */
const PATIENCE_MS = 4_000

export interface SilenceOptions {
  readonly client: Client
  readonly server: Server
  /** The event types that were subscribed to. */
  readonly eventTypes: readonly string[]
  readonly targetUrl: string
  /** The id that {@link newestEvent} returned when the command subscribed. */
  readonly newest: string | undefined
  /** The file with the certificate that the platform must trust; undefined for plain HTTP. */
  readonly certificate: string | undefined
  readonly err: Messages
  readonly signal: AbortSignal
}

/**
 * Says why no delivery arrives: at once if the platform refuses the certificate, otherwise after four seconds. Resolves
 * when it has given the reason, when a request has arrived, or when the signal aborts. Never rejects.
 */
export async function explainSilence(options: SilenceOptions): Promise<void> {
  const { client, server, eventTypes, newest, certificate, targetUrl, err, signal } = options
  const heard = new AbortController()
  const onRequest = (): void => heard.abort()
  const onRefused = (): void => {
    heard.abort()
    err.note(
      `The platform connected, but does not trust the certificate ${certificate}. ` +
        `Restart it with NODE_EXTRA_CA_CERTS=${certificate}, or use --certificate with one that it trusts.` +
        ' The demo trusts .data/receiver-certificate.pem in the folder where it was started.',
    )
  }
  server.once('request', onRequest)
  server.once('tlsClientError', onRefused)
  try {
    await delay(PATIENCE_MS, undefined, { signal: AbortSignal.any([signal, heard.signal]) })
    const published = await newestEvent(client, eventTypes, signal)
    err.note(
      published === newest
        ? 'No event of these types has been published since this command subscribed. Publish one: the demo prints a ' +
            'curl command that sells a ticket, and with a key of test mode, `callboard trigger` publishes a sample. ' +
            'Still listening.'
        : `${published} was published, but the platform has not connected to ${targetUrl}. Is a worker running, and ` +
            'can it reach this machine? The attempts of the subscription say why (dashboard, `callboard status`). ' +
            'With --poll, the platform need not reach this machine.',
    )
  } catch {
    // Nothing to explain: a request has arrived, the command stops, or the key has no right to read events.
  } finally {
    server.off('request', onRequest)
    if (heard.signal.aborted) server.off('tlsClientError', onRefused)
  }
}

/** Returns the id of the newest event of these types. Looks only at the newest page of events. */
export async function newestEvent(
  client: Client,
  eventTypes: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for await (const { data } of client.events({}, { signal }).pages())
    return data.find(({ type }) => eventTypes.includes(type))?.id
  return undefined
}
