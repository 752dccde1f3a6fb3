/**
 * Why a webhook was refused.
 *
 * The sender is to blame (answer 400 or 401):
 * - `HEADER_MISSING`: one of the three `webhook-*` headers is absent, empty or not a string.
 * - `ID_INVALID`: the id contains a space, a full stop or a character outside printable ASCII.
 * - `TIMESTAMP_INVALID`: the timestamp is not 1–12 decimal digits (seconds since the epoch).
 * - `TIMESTAMP_TOO_OLD`, `TIMESTAMP_TOO_NEW`: the timestamp differs from now by more than the tolerance.
 * - `SIGNATURE_MISMATCH`: no `v1` signature matches any secret, or there is no `v1` signature.
 * - `PAYLOAD_INVALID`: the body is correctly signed, but it is not JSON in UTF-8 or (for `verifyRequest`) not an event.
 * - `BODY_INCOMPLETE`: the request broke off while `verifyRequest` was reading the body.
 * - `BODY_TOO_LARGE`: the body is longer than the option `maxBytes` of `verifyRequest`.
 *
 * You are to blame (answer 500 and investigate):
 * - `SECRET_INVALID`: there is no secret, or a secret is not base64 of 24–64 bytes.
 * - `BODY_INVALID`: the body is not a raw string or raw bytes, for example because it was parsed.
 * - `SYNC_UNAVAILABLE`: `signSync` or `verifySync` was called on a runtime without `node:crypto`.
 */
export type WebhookVerificationErrorCode =
  | 'HEADER_MISSING'
  | 'ID_INVALID'
  | 'TIMESTAMP_INVALID'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'SIGNATURE_MISMATCH'
  | 'PAYLOAD_INVALID'
  | 'BODY_INCOMPLETE'
  | 'BODY_TOO_LARGE'
  | 'SECRET_INVALID'
  | 'BODY_INVALID'
  | 'SYNC_UNAVAILABLE'

/**
 * The error that `verify`, `verifySync` and `verifyRequest` throw. `sign` and `signSync` also throw it, for input that
 * `verify` would refuse. Codes are stable, but messages can change. Neither codes nor messages contain the secret or
 * any value from the request, except by how much its timestamp differs from the time here.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookVerificationErrorCode

  constructor(code: WebhookVerificationErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
