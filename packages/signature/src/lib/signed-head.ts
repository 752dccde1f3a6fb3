import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * Returns `id.timestamp.`, the signed string that precedes the body. Neither the id nor the timestamp can contain a
 * full stop: otherwise the same signed string could be split into a different id, timestamp and body, which the
 * signature would also match (Standard Webhooks 1.0.0, “Signature scheme”). Throws `ID_INVALID` or `TIMESTAMP_INVALID`.
 */
export function signedHead(id: string, timestamp: string): string {
  // Printable ASCII, `!` to `~`, without the full stop.
  if (!/^[!-\-/-~]+$/.test(id)) {
    throw new WebhookVerificationError('ID_INVALID', 'webhook-id must be printable ASCII without spaces or full stops')
  }
  // The limit of twelve digits refuses times in milliseconds, and allows times in seconds up to the year 33658. The
  // reference implementation reads `123abc` as 123, but this function refuses it.
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('TIMESTAMP_INVALID', 'webhook-timestamp must be Unix time in whole seconds')
  }
  return `${id}.${timestamp}.`
}
