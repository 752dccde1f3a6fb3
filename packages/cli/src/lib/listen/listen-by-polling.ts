import { setTimeout as delay } from 'node:timers/promises'
import { CallboardApiError, type CallboardEvent, type Client, createClient } from '@callboard/client'
import { generateSecret, sign } from '@callboard/signature'
import type { Messages } from '../messages.ts'
import type { Output } from '../output.ts'
import { toCommandError } from './api-failure.ts'
import { createReporter } from './event-report.ts'
import { type Forwarded, forward } from './forward.ts'
import type { ListenSettings } from './listen-settings.ts'

const EVERY_MS = 2_000
const PAGE = 100
/** Number of event ids that are remembered in order to drop repeated events: enough for many pages. */
const MOST_REMEMBERED = 10_000
/** Codes of temporary errors, which occur for example while the platform restarts. */
const PASSING: ReadonlySet<string> = new Set(['UNREACHABLE', 'TIMED_OUT', 'INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED'])

/**
 * Listens to a platform that cannot reach this machine: polls `/v1/events` and reports new events until the signal
 * aborts. Signs forwarded events with a secret generated for this run.
 */
export async function listenByPolling(settings: ListenSettings, out: Output, err: Messages): Promise<void> {
  const { url, key, eventTypes, forwardTo, printSecret, signal } = settings
  const client = createClient({ baseUrl: url, apiKey: key })
  const reporter = createReporter(out, err)
  const secret = generateSecret()
  const news = createNews(client, signal)
  try {
    await news()
    if (out.json) out.ndjson({ polling: { url, secret: printSecret ? secret : undefined } })
    err.note(`Reading ${url}/v1/events every ${EVERY_MS / 1000} s. These events are not signed by the platform.`)
    if (forwardTo)
      err.note(`They are forwarded to ${forwardTo.href}, signed by this command with a secret generated for this run.`)
    if (printSecret) err.note(`Signing secret: ${secret}`)
    err.note('Ctrl-C stops this.')
    for (;;) {
      await delay(EVERY_MS, undefined, { signal })
      for (const event of await passing(news, err)) {
        if (eventTypes !== undefined && !eventTypes.includes(event.type)) continue
        reporter.came({ event, verified: false })
        const outcome = forwardTo && (await forward(forwardTo, await signedHere(event, secret), signal))
        reporter.done({ event, verified: false, forwarded: forwardTo && outcome && { to: forwardTo, outcome } })
      }
    }
  } catch (error) {
    if (!signal.aborted) throw toCommandError(error)
  }
}

/** Returns the events since the previous call, oldest first; the first call returns none. */
function createNews(client: Client, signal: AbortSignal): () => Promise<CallboardEvent[]> {
  const known = new Set<string>()
  let isFirst = true
  return async () => {
    const found: CallboardEvent[] = []
    for await (const { data } of client.events({ limit: PAGE }, { signal }).pages()) {
      found.push(...data.filter(({ id }) => !known.has(id)))
      // Stops after the first page that has a known event. All new events of that page count, because a long
      // transaction can publish events that are older than events already seen.
      if (isFirst || data.some(({ id }) => known.has(id))) break
    }
    for (const { id } of found.toReversed()) known.add(id)
    for (const id of known) if (known.size > MOST_REMEMBERED) known.delete(id)
    const news = isFirst ? [] : found.toReversed()
    isFirst = false
    return news
  }
}

async function passing(news: () => Promise<CallboardEvent[]>, err: Messages): Promise<CallboardEvent[]> {
  try {
    return await news()
  } catch (error) {
    if (!(error instanceof CallboardApiError && PASSING.has(error.code))) throw error
    err.note(`${error.message} Trying again.`)
    return []
  }
}

/** Builds the request with which a platform would deliver this event, but signs it with the secret of this run. */
async function signedHere(event: CallboardEvent, secret: string): Promise<Forwarded> {
  const text = JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = await sign({ id: event.id, timestamp, body: text, secret })
  return {
    body: new TextEncoder().encode(text),
    rawHeaders: [
      'content-type',
      'application/json',
      'webhook-id',
      event.id,
      'webhook-timestamp',
      String(timestamp),
      'webhook-signature',
      signature,
    ],
  }
}
