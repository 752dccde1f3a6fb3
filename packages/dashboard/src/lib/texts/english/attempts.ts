import type { AttemptReason } from '@callboard/core/engine'

/** The outcome of an attempt in words. */
export interface AttemptWords {
  /** A few words for tables and headings, such as “500 Internal Server Error” or “timed out”. */
  readonly short: string
  /** A sentence without its full stop: “The target returned 500 Internal Server Error”. */
  readonly cause: string
  /** How to fix the cause; undefined if there is nothing to fix. */
  readonly fix?: string | undefined
}

export interface AttemptTexts {
  /** The words for each reason that a worker records for an attempt without a response. */
  readonly reasons: Readonly<Record<AttemptReason, AttemptWords>>
  /** The words for a reason that is unknown here because a newer worker recorded it. */
  readonly otherReason: (reason: string) => AttemptWords
  readonly unknown: string
  readonly expired: AttemptWords
  /** `status` is the number with its English name, such as “500 Internal Server Error”. */
  readonly returned: (status: string) => string
  readonly redirect: (status: number) => AttemptWords
  /** The advice for certain statuses, and for all other 4xx and 5xx statuses. */
  readonly fixes: Readonly<Record<'4xx' | '5xx', string>> & Readonly<Partial<Record<number, string>>>
}

const CONTACT_SUPPORT = 'The target is not at fault. Contact support.'

/** The outcomes of attempts in words, with advice on how to fix the target. */
export const attempts: AttemptTexts = {
  reasons: {
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
      cause: 'The TLS handshake failed, or took too long',
      fix: 'Check that the server offers TLS 1.2 or 1.3 on this port, and that it is not overloaded.',
    },
    certificate: {
      short: 'certificate refused',
      cause: 'The target’s certificate is untrusted, expired or issued for another host',
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
    headers: {
      short: 'response headers too large',
      cause: 'The headers of the target’s response exceed 16 KiB',
      fix: 'Send fewer or shorter headers. Usually cookies make them large, and a delivery needs none.',
    },
    aborted: {
      short: 'interrupted on our side',
      cause: 'The attempt was interrupted on our side',
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
  },
  otherReason: (reason) => ({
    short: `no response (${reason})`,
    cause: 'The target did not respond',
    fix: CONTACT_SUPPORT,
  }),
  unknown: 'unknown',
  expired: { short: 'event expired', cause: 'The event expired before it was sent' },
  returned: (status) => `The target returned ${status}`,
  redirect: (status) => ({
    short: `${status}, redirect not followed`,
    cause: `The target returned a redirect (${status}), and redirects are not followed`,
    fix: 'Use the URL that it redirects to as the target.',
  }),
  fixes: {
    '4xx': 'Check the target’s logs and its response to see why it rejected the event.',
    '5xx': 'Check the target’s logs and its response to see what went wrong.',
    401: 'Do not require a sign-in: the signature proves where a delivery comes from.',
    403: 'Check for a firewall or access rule that blocks deliveries.',
    404: 'Check the target’s path: nothing exists there, or the automation is turned off.',
    405: 'Accept POST requests at this URL.',
    410: 'Restore the target or use another: it no longer exists, or its automation is turned off.',
    413: 'Accept larger bodies: an event can be up to 256 KiB.',
    415: 'Accept bodies of type application/json.',
    429: 'Raise the target’s rate limit, or wait a while.',
  },
}
