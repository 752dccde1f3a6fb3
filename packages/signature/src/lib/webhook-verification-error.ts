/**
 * Why a webhook was refused.
 *
 * The sender's side (answer 400 or 401):
 * - `HEADER_MISSING`: one of the three `webhook-*` headers is absent, empty or not text.
 * - `ID_INVALID`: the id is not printable ASCII without spaces and full stops.
 * - `TIMESTAMP_INVALID`: not 1–12 decimal digits (seconds since the epoch).
 * - `TIMESTAMP_TOO_OLD`, `TIMESTAMP_TOO_NEW`: further from now than the tolerance.
 * - `SIGNATURE_MISMATCH`: no `v1` signature is right for any secret, or there is none.
 * - `PAYLOAD_INVALID`: rightly signed, but not JSON in UTF-8; to `verifyRequest` also what is not an event.
 * - `BODY_INCOMPLETE`: the request broke off while `verifyRequest` read it.
 * - `BODY_TOO_LARGE`: longer than `maxBytes` of `verifyRequest`.
 *
 * Your side (answer 500 and look into it):
 * - `SECRET_INVALID`: no secret, or one that is not base64 of 24–64 bytes.
 * - `BODY_INVALID`: not the raw body (text or bytes), a parsed one for example.
 * - `SYNC_UNAVAILABLE`: `signSync` or `verifySync` where there is no `node:crypto`.
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
 * What `verify`, `verifySync` and `verifyRequest` throw, and `sign` and `signSync` too, for what `verify` would refuse.
 * Codes are stable, messages are not; neither holds a value of the request or the secret.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookVerificationErrorCode

  constructor(code: WebhookVerificationErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
