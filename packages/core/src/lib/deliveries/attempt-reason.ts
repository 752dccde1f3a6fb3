import type { AttemptRecord } from '../ports/delivery-record.ts'

/**
 * A code for why an attempt has no response. It never reveals an IP address to an account. All codes except `aborted`
 * can be stored in the attempts log.
 * - `blocked`: the address policy refuses the URL, or an address that its host name resolves to. No request was sent.
 * - `dns`: the host name has no address, or could not be resolved in time.
 * - `connect`: no connection could be made in time.
 * - `tls`: no TLS session could be established in time.
 * - `certificate_expired`, `certificate_self_signed`, `certificate_name` (it names another host), `certificate_issuer`
 *   (its issuer is not trusted, or the chain is incomplete), `certificate` (anything else): the target's certificate was
 *   refused.
 * - `timeout`: the deadline passed before the response's headers were complete.
 * - `reset`: the connection ended after the request was sent, before the response's headers were complete.
 * - `protocol`: the response was not valid HTTP, or was a `101`.
 * - `headers`: the response had more than 16 KiB of headers.
 * - `aborted`: the worker stopped the attempt for a reason of its own. The target may have received the request.
 * - `unprepared`: the request could not be prepared, because a database row cannot be read or a secret cannot be
 *   opened.
 * - `crashed`: every attempt crashed the worker that made it.
 */
export type AttemptReason =
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'certificate'
  | 'certificate_expired'
  | 'certificate_self_signed'
  | 'certificate_name'
  | 'certificate_issuer'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'headers'
  | 'aborted'
  | 'unprepared'
  | 'crashed'

/** Why there was no response, in words: a sentence without its full stop. */
export const ATTEMPT_CAUSES: Readonly<Record<AttemptReason, string>> = {
  blocked: 'Nothing was sent: the target’s address is not allowed',
  dns: 'The target’s host name could not be resolved',
  connect: 'The target did not accept a connection',
  tls: 'The TLS handshake failed, or took too long',
  certificate: 'The target’s certificate is not valid',
  certificate_expired: 'The target’s certificate has expired',
  certificate_self_signed: 'The target’s certificate is self-signed',
  certificate_name: 'The target’s certificate is issued for another host',
  certificate_issuer: 'The target’s certificate has no trusted issuer, or its chain is incomplete',
  timeout: 'The target did not respond in time',
  reset: 'The connection was closed before the target responded',
  protocol: 'The target did not send a valid HTTP response',
  headers: 'The headers of the target’s response exceed 16 KiB',
  aborted: 'The attempt was interrupted on our side',
  unprepared: 'Nothing was sent: the request could not be prepared on our side',
  crashed: 'The attempt failed because of an error on our side',
}

/** The cause of an attempt that a newer worker recorded with a reason that is unknown here. */
export const UNKNOWN_CAUSE = 'The target did not respond'

/** The cause of an attempt whose event retention removed. */
export const EXPIRED_CAUSE = 'The event expired before it was sent'

/** Says why an attempt has no response; undefined for an attempt with a response. */
export function attemptMessage({
  outcome,
  status,
  reason,
}: Pick<AttemptRecord, 'outcome' | 'status' | 'reason'>): string | undefined {
  if (status !== undefined) return undefined
  if (outcome === 'expired') return `${EXPIRED_CAUSE}.`
  return `${isKnown(reason) ? ATTEMPT_CAUSES[reason] : UNKNOWN_CAUSE}.`
}

function isKnown(reason: string | undefined): reason is AttemptReason {
  return reason !== undefined && Object.hasOwn(ATTEMPT_CAUSES, reason)
}
