import { type SignatureFormat, STANDARD_SIGNATURES } from '@callboard/core/store'
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
  /** `Callboard/` and the version, by default. */
  readonly userAgent?: string | undefined
  /** Further headers, which are not signed. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Builds a POST with its signatures. `webhook-id` and `webhook-timestamp` are sent in every format. */
export function signRequest({
  url,
  id,
  body,
  secret,
  signatures = STANDARD_SIGNATURES,
  now,
  userAgent = USER_AGENT,
  headers,
}: RequestToSign): TransportRequest {
  const timestamp = Math.floor(now / 1000)
  return {
    url,
    headers: {
      'content-type': 'application/json',
      // Old rule sets of ModSecurity refuse requests without `accept`.
      accept: '*/*',
      'user-agent': userAgent,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      ...signatureHeaders(signatures, { id, timestamp, body, secret }),
      ...headers,
    },
    body,
  }
}
