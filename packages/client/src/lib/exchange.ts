import { CallboardApiError, type FieldIssue } from './callboard-api-error.ts'
import type { Fetch } from './client-options.ts'
import { LONGEST_TIMER_MS } from './sleep.ts'

export interface Exchange {
  readonly fetch: Fetch
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON text; null for none. */
  readonly body: string | null
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * One request and its answer, parsed; one to `DELETE` has none. Rejects with a `CallboardApiError`, or with the
 * reason of the signal.
 */
export async function exchange<T>({ timeoutMs, signal, ...request }: Exchange): Promise<T> {
  signal?.throwIfAborted()
  // Not `AbortSignal.any` with `AbortSignal.timeout`: a timer that is cleared does not outlive its call.
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
      throw new CallboardApiError('TIMED_OUT', `${nameOf(request)} was not answered within ${timeoutMs} ms.`)
    const message = `${nameOf(request)} was not answered: no connection, or one that broke off.`
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

/** The body is read here, so that the time-out and the signal cover it. */
async function send(
  { fetch, method, url, headers, body }: Omit<Exchange, 'timeoutMs' | 'signal'>,
  signal: AbortSignal,
): Promise<Answer> {
  // A redirect is an answer, not a place to take the key to: the API has none.
  const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' })
  return { response, text: await response.text() }
}

function read<T>({ response, text }: Answer, request: Pick<Exchange, 'method' | 'url'>): T {
  const { ok, status: statusCode, headers } = response
  const value = parseJson(text)
  // What an answer of the API is made of is its contract's word, and the type parameter's.
  if (ok && (isObject(value) || request.method === 'DELETE')) return value as T
  const retryAfter = retryAfterIn(headers)
  if (!ok && isProblem(value)) {
    const { errorCode, message, requestId, path, timestamp, issues } = value
    throw new CallboardApiError(errorCode, message, { statusCode, requestId, path, timestamp, issues, retryAfter })
  }
  const requestId = headers.get('x-request-id') ?? undefined
  const message = `${nameOf(request)} was answered with ${statusCode}, and not by the API: is baseUrl right?`
  throw new CallboardApiError('RESPONSE_INVALID', message, { statusCode, requestId, retryAfter })
}

/** The query is left out: a cursor is nobody's business. */
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

/** The body of an error (contract, section 7), as far as it is relied on. */
interface Problem {
  readonly errorCode: string
  readonly message: string
  readonly requestId: string
  readonly path: string
  readonly timestamp: string
  readonly issues?: readonly FieldIssue[] | undefined
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

/** Seconds; a date is not a form that the contract has (section 7). */
function retryAfterIn(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}
