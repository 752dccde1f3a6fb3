import type { LoggedAttempt } from '@callboard/core'
import type { AttemptReason } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import type { AttemptTexts, AttemptWords } from '../../texts/english/attempts.ts'

/** The names of HTTP statuses. They are the same in every language. */
const STATUSES: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** An attempt, and the stored part of its response if the caller has read it. */
export type SaidAttempt = Pick<LoggedAttempt, 'outcome' | 'status' | 'reason'> & {
  readonly response?: string | undefined
}

/**
 * Whether the target seems to have refused the signature: it answered 401, or another 400 to 403 with a response that
 * names the signature or the secret.
 */
export function isSignatureRefused(attempt: SaidAttempt): boolean {
  const { status, response = '' } = attempt
  return status === 401 || (mayRefuseSignature(attempt) && /signature|signing|hmac|secret/i.test(response))
}

/** Whether the response tells if the target refused the signature. */
export function mayRefuseSignature({ status = 0 }: Pick<SaidAttempt, 'status'>): boolean {
  return status >= 400 && status <= 403
}

/** Puts an attempt into words. If a newer worker recorded a reason that is unknown here, the reason's code is shown. */
export function attemptWords({ texts: { attempts } }: Pick<Call, 'texts'>, attempt: SaidAttempt): AttemptWords {
  const { outcome, status, reason } = attempt
  if (status !== undefined) {
    const words = statusWords(attempts, status)
    return isSignatureRefused(attempt) ? { ...words, fix: attempts.checkSecret } : words
  }
  if (outcome === 'expired') return attempts.expired
  return isKnown(reason, attempts) ? attempts.reasons[reason] : attempts.otherReason(reason ?? attempts.unknown)
}

/** The words for 410 Gone, the response that disables a subscription immediately. */
export function goneWords({ texts: { attempts } }: Pick<Call, 'texts'>): AttemptWords {
  return statusWords(attempts, 410)
}

function isKnown(reason: string | undefined, { reasons }: AttemptTexts): reason is AttemptReason {
  return reason !== undefined && Object.hasOwn(reasons, reason)
}

/** Puts an HTTP status into words. A status without advice of its own gets the advice for its class, such as 4xx. */
function statusWords({ returned, redirect, fixes }: AttemptTexts, status: number): AttemptWords {
  if (status >= 300 && status < 400) return redirect(status)
  const name = STATUSES[status]
  const short = name === undefined ? `${status}` : `${status} ${name}`
  const fix = status < 300 ? undefined : (fixes[status] ?? fixes[status < 500 ? '4xx' : '5xx'])
  return { short, cause: returned(short), fix }
}
