import type { AttemptReason } from '@callboard/core/engine'
import type { LastAttempt } from '@callboard/core/store'

/**
 * The outcome of an attempt in words. All advice on fixing a target is in this file. How to enable the subscription
 * afterwards is in `who-enables.ts`.
 */
export interface AttemptWords {
  /** For a table, such as “500 Internal Server Error” or “timed out”. */
  readonly short: string
  /** A sentence without its full stop: “The target returned 500 Internal Server Error”. */
  readonly cause: string
  /** How to fix the cause; undefined if there is nothing to fix. */
  readonly fix: string | undefined
}

/** The advice if nothing is known about the attempt. */
export const FIX_TARGET = 'Fix the target.'

const CONTACT_SUPPORT = 'The target is not at fault. Contact support.'

/** The words for each reason that a worker records for an attempt without a response. */
const REASONS: Readonly<Record<AttemptReason, AttemptWords>> = {
  blocked: {
    short: 'address not allowed',
    cause: 'Nothing was sent: the target’s address is not allowed',
    fix: 'Use a target with a public address and port 443.',
  },
  dns: {
    short: 'DNS lookup failed',
    cause: 'The target’s host name could not be resolved',
    fix: 'Check the target for a typo, and check the DNS records of its host name.',
  },
  connect: {
    short: 'connection failed',
    cause: 'The target did not accept a connection',
    fix: 'Check that its server is running and that its firewall allows requests from outside.',
  },
  tls: {
    short: 'TLS handshake failed',
    cause: 'The TLS handshake failed: the certificate may be untrusted, expired or issued for another host',
    fix: 'Renew the certificate if needed, and serve it with its full chain.',
  },
  timeout: {
    short: 'timed out',
    cause: 'The target did not respond in time',
    fix: 'Respond within a few seconds, and process the event afterwards.',
  },
  reset: {
    short: 'connection closed',
    cause: 'The connection was closed before the target responded',
    fix: 'Check the logs of the target, and of any proxy in front of it, to see what ended the request.',
  },
  protocol: {
    short: 'invalid HTTP response',
    cause: 'The target did not send a valid HTTP response',
    fix: 'Check that the server on this host and port is a web server.',
  },
  aborted: {
    short: 'interrupted on our side',
    cause: 'The attempt was interrupted on our side',
    fix: undefined,
  },
  unprepared: {
    short: 'not sent, error on our side',
    cause: 'Nothing was sent: the request could not be prepared on our side',
    fix: CONTACT_SUPPORT,
  },
  crashed: {
    short: 'error on our side',
    cause: 'The attempt failed because of an error on our side',
    fix: CONTACT_SUPPORT,
  },
}

/**
 * The names of HTTP statuses, some with advice. For all other statuses, the advice depends on the class, such as 4xx.
 */
const STATUSES: Readonly<Record<number, { readonly name: string; readonly fix?: string }>> = {
  200: { name: 'OK' },
  201: { name: 'Created' },
  202: { name: 'Accepted' },
  204: { name: 'No Content' },
  400: { name: 'Bad Request' },
  401: { name: 'Unauthorized', fix: 'Do not require a sign-in: the signature proves where a delivery comes from.' },
  403: { name: 'Forbidden', fix: 'Check for a firewall or access rule that blocks deliveries.' },
  404: {
    name: 'Not Found',
    fix: 'Check the target’s path: nothing exists there, or the automation is turned off.',
  },
  405: { name: 'Method Not Allowed', fix: 'Accept POST requests at this URL.' },
  408: { name: 'Request Timeout' },
  409: { name: 'Conflict' },
  410: {
    name: 'Gone',
    fix: 'Restore the target or use another: it no longer exists, or its automation is turned off.',
  },
  413: { name: 'Content Too Large', fix: 'Accept larger bodies: an event can be up to 256 KiB.' },
  415: { name: 'Unsupported Media Type', fix: 'Accept bodies of type application/json.' },
  422: { name: 'Unprocessable Content' },
  429: { name: 'Too Many Requests', fix: 'Raise the target’s rate limit, or wait a while.' },
  500: { name: 'Internal Server Error' },
  501: { name: 'Not Implemented' },
  502: { name: 'Bad Gateway' },
  503: { name: 'Service Unavailable' },
  504: { name: 'Gateway Timeout' },
}

/** Puts an attempt into words. If a newer worker recorded a reason that is unknown here, the reason's code is shown. */
export function attemptWords({ outcome, status, reason }: Omit<LastAttempt, 'at'>): AttemptWords {
  if (status !== undefined) return statusWords(status)
  if (outcome === 'expired')
    return { short: 'event expired', cause: 'The event expired before it was sent', fix: undefined }
  if (isKnown(reason)) return REASONS[reason]
  return { short: `no response (${reason ?? 'unknown'})`, cause: 'The target did not respond', fix: CONTACT_SUPPORT }
}

function isKnown(reason: string | undefined): reason is AttemptReason {
  return reason !== undefined && Object.hasOwn(REASONS, reason)
}

function statusWords(status: number): AttemptWords {
  const { name, fix } = STATUSES[status] ?? {}
  const named = name === undefined ? `${status}` : `${status} ${name}`
  if (status >= 200 && status < 300) return { short: named, cause: `The target returned ${named}`, fix: undefined }
  if (status >= 300 && status < 400)
    return {
      short: `${status}, redirect not followed`,
      cause: `The target returned a redirect (${status}), and redirects are not followed`,
      fix: 'Use the URL that it redirects to as the target.',
    }
  return { short: named, cause: `The target returned ${named}`, fix: fix ?? CLASSES[status < 500 ? 4 : 5] }
}

const CLASSES = {
  4: 'Check the target’s logs and its response to see why it rejected the event.',
  5: 'Check the target’s logs and its response to see what went wrong.',
} as const

/** The words for 410 Gone, the response that disables a subscription immediately. */
export const GONE: AttemptWords = statusWords(410)
