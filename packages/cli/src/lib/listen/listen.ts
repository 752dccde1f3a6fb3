import { type CallboardEvent, createClient } from '@callboard/client'
import { sign } from '@callboard/signature'
import type { Messages } from '../messages.ts'
import type { Output } from '../output.ts'
import { toCommandError } from './api-failure.ts'
import { createReporter } from './event-report.ts'
import { type Forwarded, forward } from './forward.ts'
import type { ListenState } from './listen-state.ts'

export interface ListenSettings {
  /** Address of the API, without `/v1`. */
  readonly url: string
  readonly key: string
  /** Undefined means every event type. */
  readonly eventTypes: readonly string[] | undefined
  /** The server to forward events to; undefined if events are not forwarded. */
  readonly forwardTo: URL | undefined
  /** Whether to print the secret with which forwarded events are signed. */
  readonly printSecret: boolean
  readonly state: ListenState
  readonly signal: AbortSignal
}

/** Follows the platform's events, and reports and forwards each of them, until the signal aborts. */
export async function listen(settings: ListenSettings, out: Output, err: Messages): Promise<void> {
  const { url, key, eventTypes, forwardTo, printSecret, state, signal } = settings
  const client = createClient({ baseUrl: url, apiKey: key })
  const reporter = createReporter(out)
  try {
    // Fails at once for a wrong address or key, which following would retry or report late.
    const { entity } = await client.me({ signal })
    if (out.json) out.ndjson({ listening: { url, account: entity.id, secret: printSecret ? state.secret : undefined } })
    err.note(
      `Following ${eventTypes?.join(', ') ?? 'all events'} of ${entity.name}, ` +
        `${state.cursor() === undefined ? 'from now on' : 'from where the last run stopped'}.`,
    )
    if (forwardTo) err.note(`Events are forwarded to ${forwardTo.href}, signed with a secret of this command.`)
    if (printSecret) err.note(`Signing secret: ${state.secret}`)
    err.note('Ctrl-C stops this. The next run continues there.')
    const events = client.events.follow({
      after: state.cursor(),
      types: eventTypes,
      onCursor: state.save,
      onTruncated: () => err.note('Events may be missing here, or repeated: the last run was too long ago.'),
      signal,
    })
    for await (const event of events) {
      reporter.came(event)
      const outcome = forwardTo && (await forward(forwardTo, await signed(event, state.secret), signal))
      // An event whose forwarding was interrupted is forwarded again by the next run.
      signal.throwIfAborted()
      reporter.done(event, forwardTo && outcome && { to: forwardTo, outcome })
    }
  } catch (error) {
    if (!signal.aborted) throw toCommandError(error, state.path)
  }
}

/** Builds the request with which a platform would deliver this event, but signs it with the secret of this command. */
async function signed(event: CallboardEvent, secret: string): Promise<Forwarded> {
  const body = JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    body: new TextEncoder().encode(body),
    headers: {
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': await sign({ id: event.id, timestamp, body, secret }),
    },
  }
}
