import { WebhookVerificationError } from './webhook-verification-error.ts'

/** A request body as received, before any parsing. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** Returns the body as a string or bytes, without copying. Throws `BODY_INVALID` if the body is not raw. */
export function rawBody(body: unknown): string | Uint8Array {
  if (typeof body === 'string') return body
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (isArrayBuffer(body)) return new Uint8Array(body)
  throw new WebhookVerificationError('BODY_INVALID', 'Pass the raw request body, text or bytes, not parsed JSON')
}

/** Does not use `instanceof`, which is false for a buffer from another realm, such as a test environment's. */
function isArrayBuffer(body: unknown): body is ArrayBuffer {
  return Object.prototype.toString.call(body) === '[object ArrayBuffer]'
}
