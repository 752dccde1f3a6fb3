/**
 * Why an attempt has no response, as stored in the log. None of these reveals an address to an account.
 * - `blocked`: the address policy refuses the URL, or an address that its name resolves to; nothing was sent.
 * - `dns`: the name could not be resolved in time, or has no address.
 * - `connect`: no connection could be made in time.
 * - `tls`: no TLS session could be established in time, or the certificate is not valid for the host.
 * - `timeout`: the deadline passed before the response's headers were complete.
 * - `reset`: the connection ended after the request was sent, before the response's headers were complete.
 * - `protocol`: the target did not send a valid HTTP response (garbage, over 16 KiB of headers, a `101`).
 * - `aborted`: the worker gave up. The target may have received the request, but is not at fault. Never logged.
 * - `unprepared`: the request could not be prepared, because a row cannot be read or a secret cannot be opened.
 * - `crashed`: every attempt crashed the worker that made it.
 */
export type AttemptReason =
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'aborted'
  | 'unprepared'
  | 'crashed'
