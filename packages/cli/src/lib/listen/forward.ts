import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** A request to forward. */
export interface Forwarded {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export interface ForwardOutcome {
  /** Undefined if there was no response. */
  readonly status: number | undefined
  /** The reason why there was no response, as an error code or a short text; undefined if there was a response. */
  readonly failure: string | undefined
  readonly durationMs: number
}

/**
 * The platform's default deadline for an attempt. A server that takes longer would also fail if the platform called it
 * directly.
 */
const DEADLINE_MS = 15_000

/** Sends an event to a server. Uses `node:http`, because `fetch` adds headers of its own and follows redirects. */
export async function forward(url: URL, { body, headers }: Forwarded, signal: AbortSignal): Promise<ForwardOutcome> {
  const startedAt = performance.now()
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const outcome = (status: number | undefined, failure?: string): ForwardOutcome => ({
    status,
    failure,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const all = { ...headers, 'content-length': body.length }
      const sent = send(url, {
        method: 'POST',
        headers: all,
        signal: AbortSignal.any([signal, deadline]),
        agent: false,
      })
      sent.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode)))
      sent.once('error', reject)
      sent.end(body)
    })
    return outcome(status)
  } catch (error) {
    if (deadline.aborted) return outcome(undefined, `no response within ${DEADLINE_MS / 1000} s`)
    return outcome(undefined, error instanceof Error && 'code' in error ? String(error.code) : 'no response')
  }
}
