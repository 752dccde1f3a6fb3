import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Answer } from './delivery-server.ts'

/** What is sent on: bytes and headers as they came. */
export interface Forwarded {
  readonly body: Uint8Array
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
}

export interface ForwardOutcome {
  readonly answer: Answer
  /** Why there was no answer, as a code. */
  readonly failure: string | undefined
  readonly durationMs: number
}

/** As a platform's deadline: a server that takes longer fails there as well. */
const DEADLINE_MS = 15_000
/** As much as a platform keeps. */
const MAX_ANSWER_BYTES = 16_384
/** Of one connection alone (RFC 9110, 7.6.1), or of the server that it went to. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
])

/**
 * Sends a delivery on, by `node:http` since `fetch` adds headers of its own. What that server answers is what the platform is to
 * get, redirects included; 502 stands for no answer, 504 for one that took too long.
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
    if (deadline.aborted) return outcome({ status: 504 }, `no answer within ${DEADLINE_MS / 1000} s`)
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
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
