import { ATTEMPT_CAUSES, type AttemptReason, EXPIRED_CAUSE, UNKNOWN_CAUSE } from '@callboard/core/engine'

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
  /** The advice if the target seems to have refused the signature. */
  readonly checkSecret: string
  /** The advice for certain statuses, and for all other 4xx and 5xx statuses. */
  readonly fixes: Readonly<Record<'4xx' | '5xx', string>> & Readonly<Partial<Record<number, string>>>
}

const CONTACT_SUPPORT = 'The target is not at fault. Contact support.'

/** The outcomes of attempts in words, with advice on how to fix the target. */
export const attempts: AttemptTexts = {
  reasons: {
    blocked: {
      short: 'address not allowed',
      cause: ATTEMPT_CAUSES.blocked,
      fix: 'Use a target with a public address and port 443.',
    },
    dns: {
      short: 'DNS lookup failed',
      cause: ATTEMPT_CAUSES.dns,
      fix: 'Check the target for a typo, and check the DNS records of its host name.',
    },
    connect: {
      short: 'connection failed',
      cause: ATTEMPT_CAUSES.connect,
      fix: 'Check that its server is running and that its firewall allows requests from outside.',
    },
    tls: {
      short: 'TLS handshake failed',
      cause: ATTEMPT_CAUSES.tls,
      fix: 'Check that the server offers TLS 1.2 or 1.3 on this port, and that it is not overloaded.',
    },
    certificate: {
      short: 'certificate refused',
      cause: ATTEMPT_CAUSES.certificate,
      fix: 'Serve a certificate for this host from a public certificate authority, with its full chain.',
    },
    certificate_expired: {
      short: 'certificate expired',
      cause: ATTEMPT_CAUSES.certificate_expired,
      fix: 'Renew the certificate, and reload the server so that it serves the new one.',
    },
    certificate_self_signed: {
      short: 'self-signed certificate',
      cause: ATTEMPT_CAUSES.certificate_self_signed,
      fix: 'Get a certificate from a public certificate authority.',
    },
    certificate_name: {
      short: 'certificate for another host',
      cause: ATTEMPT_CAUSES.certificate_name,
      fix: 'Serve a certificate that names this host, or correct the host in the target.',
    },
    certificate_issuer: {
      short: 'certificate without trusted issuer',
      cause: ATTEMPT_CAUSES.certificate_issuer,
      fix: 'Serve the full chain with the intermediate certificates, and use a public certificate authority.',
    },
    timeout: {
      short: 'timed out',
      cause: ATTEMPT_CAUSES.timeout,
      fix: 'Respond within a few seconds, and process the event afterwards.',
    },
    reset: {
      short: 'connection closed',
      cause: ATTEMPT_CAUSES.reset,
      fix: 'Check the logs of the target, and of any proxy in front of it, to see what ended the request.',
    },
    protocol: {
      short: 'invalid HTTP response',
      cause: ATTEMPT_CAUSES.protocol,
      fix: 'Check that the server on this host and port is a web server.',
    },
    headers: {
      short: 'response headers too large',
      cause: ATTEMPT_CAUSES.headers,
      fix: 'Send fewer or shorter headers. Usually cookies make them large, and a delivery needs none.',
    },
    aborted: {
      short: 'interrupted on our side',
      cause: ATTEMPT_CAUSES.aborted,
    },
    unprepared: {
      short: 'not sent, error on our side',
      cause: ATTEMPT_CAUSES.unprepared,
      fix: CONTACT_SUPPORT,
    },
    crashed: {
      short: 'error on our side',
      cause: ATTEMPT_CAUSES.crashed,
      fix: CONTACT_SUPPORT,
    },
  },
  otherReason: (reason) => ({
    short: `no response (${reason})`,
    cause: UNKNOWN_CAUSE,
    fix: CONTACT_SUPPORT,
  }),
  unknown: 'unknown',
  expired: { short: 'event expired', cause: EXPIRED_CAUSE },
  returned: (status) => `The target returned ${status}`,
  redirect: (status) => ({
    short: `${status}, redirect not followed`,
    cause: `The target returned a redirect (${status}), and redirects are not followed`,
    fix: 'Use the URL that it redirects to as the target.',
  }),
  checkSecret:
    'The likely cause is the signing secret: check that the receiver verifies with the current one. Do not require a sign-in; the signature proves where a delivery comes from.',
  fixes: {
    '4xx': 'Check the target’s logs and its response to see why it rejected the event.',
    '5xx': 'Check the target’s logs and its response to see what went wrong.',
    403: 'Check for a firewall or access rule that blocks deliveries.',
    404: 'Check the target’s path: nothing exists there, or the automation is turned off.',
    405: 'Accept POST requests at this URL.',
    410: 'Restore the target or use another: it no longer exists, or its automation is turned off.',
    413: 'Accept larger bodies: an event can be up to 256 KiB.',
    415: 'Accept bodies of type application/json.',
    429: 'Raise the target’s rate limit, or wait a while.',
  },
}
