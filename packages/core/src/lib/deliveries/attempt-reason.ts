/**
 * Why an attempt has no response, as the log keeps it; none of these tells an account anything about an address.
 * - `blocked`: the URL or an address it leads to is outside the address policy; nothing was sent.
 * - `dns`: the name could not be looked up in time, or has no address.
 * - `connect`: no connection could be made in time.
 * - `tls`: no TLS session could be agreed in time, or the certificate is not valid for the host.
 * - `timeout`: the deadline passed before the response's headers were complete.
 * - `reset`: the connection ended after the request was sent, before the response's headers were complete.
 * - `protocol`: what came back is not an HTTP response to this request (garbage, over 16 KiB of headers, a `101`).
 * - `aborted`: this side gave up. Not the target's fault; whether it got the request is not known. Such a try is not logged.
 * - `unprepared`: the request could not be made (a row that cannot be read, a secret that cannot be opened).
 * - `crashed`: its tries ended the workers that made them.
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
