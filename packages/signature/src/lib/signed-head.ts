import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * Returns the text that is signed before the body: `id.timestamp.`. Neither part may contain a full stop, or the
 * signature would also match another split of the same text (Standard Webhooks 1.0.0, “Signature scheme”). Throws
 * `ID_INVALID` or `TIMESTAMP_INVALID`.
 */
export function signedHead(id: string, timestamp: string): string {
  // Printable ASCII, `!` to `~`, without the full stop.
  if (!/^[!-\-/-~]+$/.test(id)) {
    throw new WebhookVerificationError('ID_INVALID', 'webhook-id must be printable ASCII without spaces or full stops')
  }
  // At most twelve digits exclude milliseconds, until the year 33658. The reference reads `123abc` as 123; this does
  // not.
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('TIMESTAMP_INVALID', 'webhook-timestamp must be Unix time in whole seconds')
  }
  return `${id}.${timestamp}.`
}
