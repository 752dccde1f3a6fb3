import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * Returns `id.timestamp.`, the signed string that precedes the body. Neither the id nor the timestamp can contain a
 * full stop, because otherwise one signature could match a different id, timestamp and body (Standard Webhooks 1.0.0,
 * “Signature scheme”). Throws `ID_INVALID` or `TIMESTAMP_INVALID`.
 */
export function signedHead(id: string, timestamp: string): string {
  // Printable ASCII, `!` to `~`, without the full stop.
  if (!/^[!-\-/-~]+$/.test(id)) {
    throw new WebhookVerificationError('ID_INVALID', 'webhook-id must be printable ASCII without spaces or full stops')
  }
  // Twelve digits allow seconds up to the year 33658, but no milliseconds. Unlike the reference implementation, this
  // pattern refuses `123abc`.
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('TIMESTAMP_INVALID', 'webhook-timestamp must be Unix time in whole seconds')
  }
  return `${id}.${timestamp}.`
}
