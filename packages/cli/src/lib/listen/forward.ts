import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Answer } from './delivery-server.ts'

/** A request to forward, with body and headers as they arrived. */
export interface Forwarded {
  readonly body: Uint8Array
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
}

export interface ForwardOutcome {
  readonly answer: Answer
  /** The reason why there was no response, as an error code or a short text; undefined if there was a response. */
  readonly failure: string | undefined
  readonly durationMs: number
}

/**
 * The platform's default deadline for an attempt. A server that takes longer would also fail if the platform called it
 * directly.
 */
const DEADLINE_MS = 15_000
/** The most bytes of a response that a platform stores. */
const MAX_ANSWER_BYTES = 16_384
/** Headers that belong to one connection (RFC 9110, 7.6.1) or one server, and are therefore not forwarded. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
])

/**
 * Forwards a delivery, and returns the answer for the platform: the server's own response, even a redirect; 502 if
 * there was none; 504 if it took too long. Uses `node:http`, because `fetch` adds headers of its own.
 */
export async function forward(url: URL, { body, rawHeaders }: Forwarded, signal: AbortSignal): Promise<ForwardOutcome> {
  const startedAt = performance.now()
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const outcome = (answer: Answer, failure?: string): ForwardOutcome => ({
    answer,
    failure,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const headers = [...ownHeadersLeftOut(rawHeaders), 'host', url.host, 'content-length', String(body.length)]
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(url, { method: 'POST', headers, signal: AbortSignal.any([signal, deadline]), agent: false })
    const response = await answered(sent, body)
    const type = response.headers['content-type']
    return outcome({
      status: response.statusCode ?? 502,
      headers: type === undefined ? {} : { 'content-type': type },
      body: await startOf(response),
    })
  } catch (error) {
    if (deadline.aborted) return outcome({ status: 504 }, `no response within ${DEADLINE_MS / 1000} s`)
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no response'
    return outcome({ status: 502 }, code)
  }
}

function ownHeadersLeftOut(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => !OWN_HEADERS.has((rawHeaders[index - (index % 2)] ?? '').toLowerCase()))
}

function answered(sent: ClientRequest, body: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end(body)
  })
}

async function startOf(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)
}
