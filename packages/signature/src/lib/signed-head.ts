import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * What is signed before the body: `id.timestamp.`. Neither part may hold a full stop, or the same signature would fit
 * another split of the same text (Standard Webhooks 1.0.0, “Signature scheme”). Throws `ID_INVALID` or
 * `TIMESTAMP_INVALID`.
 */
export function signedHead(id: string, timestamp: string): string {
  // Printable ASCII, `!` to `~`, less the full stop.
  if (!/^[!-\-/-~]+$/.test(id)) {
    throw new WebhookVerificationError('ID_INVALID', 'webhook-id is not printable ASCII without spaces and full stops')
  }
  // Twelve digits keep milliseconds out until the year 33658, and `123abc`, which the reference reads as 123.
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('TIMESTAMP_INVALID', 'webhook-timestamp is not whole seconds since the epoch')
  }
  return `${id}.${timestamp}.`
}
