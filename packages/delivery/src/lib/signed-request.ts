import type { SignatureFormat } from '@callboard/core'
import { signSync } from '@callboard/signature'
import manifest from '../../package.json' with { type: 'json' }
import type { TransportRequest } from './http/transport.ts'
import { signatureHeaders } from './signature-headers.ts'

const USER_AGENT = `Callboard/${manifest.version}`

export interface RequestToSign {
  readonly url: string
  /** The event's id. */
  readonly id: string
  readonly body: Uint8Array
  /** The secrets that sign, newest first. */
  readonly secret: readonly string[]
  /** As Standard Webhooks says, by default. */
  readonly signatures?: readonly SignatureFormat[] | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Builds a POST with its signatures. `webhook-id` and `webhook-timestamp` are sent in every format. Callers can add
 * headers, which are not signed.
 */
export function signRequest({ url, id, body, secret, signatures, now }: RequestToSign): TransportRequest & {
  readonly headers: Record<string, string>
} {
  const timestamp = Math.floor(now / 1000)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    // Old rule sets of ModSecurity refuse requests without `accept`.
    accept: '*/*',
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
  }
  const signed = { id, timestamp, body, secret }
  if (signatures === undefined) headers['webhook-signature'] = signSync(signed)
  else Object.assign(headers, signatureHeaders(signatures, signed))
  return { url, headers, body }
}
