/**
 * A code for why an attempt has no response. It never reveals an IP address to an account. All codes except `aborted`
 * can be stored in the attempts log.
 * - `blocked`: the address policy refuses the URL, or an address that its host name resolves to. No request was sent.
 * - `dns`: the host name has no address, or could not be resolved in time.
 * - `connect`: no connection could be made in time.
 * - `tls`: no TLS session could be established in time.
 * - `certificate`: the target's certificate is not valid for its host, has expired, or has no trusted issuer.
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
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'headers'
  | 'aborted'
  | 'unprepared'
  | 'crashed'
