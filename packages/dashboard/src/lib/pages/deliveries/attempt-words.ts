import type { AttemptReason } from '@callboard/core/engine'
import type { LastAttempt } from '@callboard/core/store'

/**
 * What came of an attempt, for people. This is the only place that advises what to do about a target's answer; `who-enables.ts` is
 * the only one that says how a subscription gets enabled afterwards.
 */
export interface AttemptWords {
  /** In a table: “500 Internal Server Error”, “timed out”. */
  readonly short: string
  /** A sentence without its end: “Your endpoint answered 500 (Internal Server Error)”. */
  readonly cause: string
  /** What is to be done about it; undefined: nothing. */
  readonly mend: string | undefined
}

/** The advice where nothing is known of an attempt. */
export const FIX_ENDPOINT = 'Fix your endpoint.'

const TEAM = 'This is not your endpoint’s fault: tell whoever runs this platform.'

/** Why there was no response, by each code that a worker writes down. */
const REASONS: Readonly<Record<AttemptReason, AttemptWords>> = {
  blocked: {
    short: 'address refused',
    cause: 'Nothing was sent: deliveries do not go to the address that the target leads to',
    mend: 'Use a target with a public address and the usual port, 443.',
  },
  dns: {
    short: 'host name not found',
    cause: 'The host’s name could not be looked up',
    mend: 'Check the target for a typing mistake, and the name in your DNS.',
  },
  connect: {
    short: 'connection refused',
    cause: 'No connection could be made to your endpoint',
    mend: 'Start its server, or let requests from outside through its firewall.',
  },
  tls: {
    short: 'certificate not trusted',
    cause: 'No secure connection could be made: the certificate is not trusted, has expired, or is another host’s',
    mend: 'Renew the certificate, and serve it with its whole chain.',
  },
  timeout: {
    short: 'timed out',
    cause: 'Your endpoint did not answer in time',
    mend: 'Answer first, within a few seconds, and do the work afterwards.',
  },
  reset: {
    short: 'connection broken off',
    cause: 'Your endpoint ended the connection before it had answered',
    mend: 'Look in its log, and in that of the proxy before it, for what ended the request.',
  },
  protocol: {
    short: 'not an HTTP answer',
    cause: 'What came back was not an HTTP answer',
    mend: 'Check that a web server listens at this host and port.',
  },
  aborted: {
    short: 'interrupted on our side',
    cause: 'The attempt was interrupted on our side',
    mend: undefined,
  },
  unprepared: {
    short: 'not sent, a fault on our side',
    cause: 'Nothing was sent: the request could not be made',
    mend: TEAM,
  },
  crashed: {
    short: 'not sent, a fault on our side',
    cause: 'Nothing was sent: the attempt failed on our side',
    mend: TEAM,
  },
}

/** Statuses with something of their own to do; others go by their class. */
const STATUSES: Readonly<Record<number, { readonly name: string; readonly mend?: string }>> = {
  200: { name: 'OK' },
  201: { name: 'Created' },
  202: { name: 'Accepted' },
  204: { name: 'No Content' },
  400: { name: 'Bad Request' },
  401: { name: 'Unauthorized', mend: 'Let it in without a sign-in: the signature proves where a delivery comes from.' },
  403: { name: 'Forbidden', mend: 'Let deliveries through: a firewall or a sign-in stands before it.' },
  404: {
    name: 'Not Found',
    mend: 'Check the target’s path: there is nothing at it, or the automation is switched off.',
  },
  405: { name: 'Method Not Allowed', mend: 'Take POST requests at this address.' },
  408: { name: 'Request Timeout' },
  409: { name: 'Conflict' },
  410: {
    name: 'Gone',
    mend: 'Bring the address back or change it: nothing is there any more, or its automation is switched off.',
  },
  413: { name: 'Content Too Large', mend: 'Take larger bodies: an event has up to 256 KiB.' },
  415: { name: 'Unsupported Media Type', mend: 'Take bodies of type application/json.' },
  422: { name: 'Unprocessable Content' },
  429: { name: 'Too Many Requests', mend: 'It asks for fewer at a time; a later try may pass as it is.' },
  500: { name: 'Internal Server Error' },
  501: { name: 'Not Implemented' },
  502: { name: 'Bad Gateway' },
  503: { name: 'Service Unavailable' },
  504: { name: 'Gateway Timeout' },
}

/** A code that a newer worker wrote down is shown as it is. */
export function attemptWords({ outcome, status, reason }: Omit<LastAttempt, 'at'>): AttemptWords {
  if (status !== undefined) return statusWords(status)
  if (outcome === 'expired')
    return { short: 'removed before it was sent', cause: 'The event was removed before it was sent', mend: undefined }
  if (isKnown(reason)) return REASONS[reason]
  return { short: `no answer (${reason ?? 'unknown'})`, cause: 'There was no answer from your endpoint', mend: TEAM }
}

function isKnown(reason: string | undefined): reason is AttemptReason {
  return reason !== undefined && Object.hasOwn(REASONS, reason)
}

function statusWords(status: number): AttemptWords {
  const { name, mend } = STATUSES[status] ?? {}
  const named = name === undefined ? `${status}` : `${status} ${name}`
  if (status >= 200 && status < 300) return { short: named, cause: `Your endpoint answered ${named}`, mend: undefined }
  if (status >= 300 && status < 400)
    return {
      short: `${status}, redirect refused`,
      cause: `Your endpoint answered with a redirect (${status}), and redirects are not followed`,
      mend: 'Use the address that it redirects to as the target.',
    }
  return { short: named, cause: `Your endpoint answered ${named}`, mend: mend ?? CLASSES[status < 500 ? 4 : 5] }
}

const CLASSES = {
  4: 'Its log, or the response below, says what it did not like about the event.',
  5: 'Its log, or the response below, says what went wrong.',
} as const

/** The answer that disables a subscription at once. */
export const GONE: AttemptWords = statusWords(410)
