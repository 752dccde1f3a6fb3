import { CallboardApiError, type FieldIssue } from './callboard-api-error.ts'
import type { Fetch } from './client-options.ts'
import { LONGEST_TIMER_MS } from './sleep.ts'

export interface Exchange {
  readonly fetch: Fetch
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A JSON string; null if there is no body. */
  readonly body: string | null
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Sends one request and returns the parsed response body, or undefined after a `DELETE`, whose response has no body.
 * Rejects with a `CallboardApiError`, or with the signal's reason.
 */
export async function exchange<T>({ timeoutMs, signal, ...request }: Exchange): Promise<T> {
  signal?.throwIfAborted()
  // Does not use `AbortSignal.timeout`, because its timer cannot be cleared and would outlive the call.
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(() => controller.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS))
  let answer: Answer
  try {
    answer = await send(request, controller.signal)
  } catch (cause) {
    signal?.throwIfAborted()
    if (controller.signal.aborted)
      throw new CallboardApiError('TIMED_OUT', `${nameOf(request)} got no response within ${timeoutMs} ms.`)
    const message = `${nameOf(request)} got no complete response: the connection failed or broke off.`
    throw new CallboardApiError('UNREACHABLE', message, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return read<T>(answer, request)
}

interface Answer {
  readonly response: Response
  readonly text: string
}

/** Sends the request and also reads the response body, so that the timeout and the signal cover both. */
async function send(
  { fetch, method, url, headers, body }: Omit<Exchange, 'timeoutMs' | 'signal'>,
  signal: AbortSignal,
): Promise<Answer> {
  // Does not follow redirects, which could send the key to another server. The API itself never redirects.
  const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' })
  return { response, text: await response.text() }
}

export function read<T>({ response, text }: Answer, request: Pick<Exchange, 'method' | 'url'>): T {
  const { ok, status: statusCode, headers } = response
  const value = parseJson(text)
  // The properties of the value are not checked, but assumed to match the type parameter.
  if (ok && (isObject(value) || request.method === 'DELETE')) return value as T
  const retryAfter = retryAfterIn(headers)
  if (!ok && isProblem(value)) {
    const { errorCode, message, requestId, path, timestamp, issues, subscriptionId } = value
    const fields = { statusCode, requestId, path, timestamp, issues, subscriptionId, retryAfter }
    throw new CallboardApiError(errorCode, message, fields)
  }
  const requestId = headers.get('x-request-id') ?? undefined
  const message = `${nameOf(request)} returned ${statusCode}, and the response is not from the API: check baseUrl.`
  throw new CallboardApiError('RESPONSE_INVALID', message, { statusCode, requestId, retryAfter })
}

/** Names a request in messages. Leaves out the query, so that no message discloses a cursor. */
function nameOf({ method, url }: Pick<Exchange, 'method' | 'url'>): string {
  return `${method} ${url.replace(/\?.*/, '')}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields of the API's error body that the client relies on. */
interface Problem {
  readonly errorCode: string
  readonly message: string
  readonly requestId: string
  readonly path: string
  readonly timestamp: string
  readonly issues?: readonly FieldIssue[] | undefined
  readonly subscriptionId?: string | undefined
}

function isProblem(value: unknown): value is Problem {
  return (
    isObject(value) &&
    'errorCode' in value &&
    typeof value.errorCode === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Reads `retry-after` as a number of seconds. The API never sends a date. */
function retryAfterIn(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined
}
