import { signSync } from '@callboard/signature'
import manifest from '../../package.json' with { type: 'json' }
import type { TransportRequest } from './http/transport.ts'

const USER_AGENT = `Callboard/${manifest.version}`

export interface ToBeSigned {
  readonly url: string
  /** The event's id. */
  readonly id: string
  readonly body: Uint8Array
  /** The secrets that sign, newest first. */
  readonly secret: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Builds a POST that is signed according to Standard Webhooks. Callers can add headers, which are not signed. */
export function signRequest({ url, id, body, secret, now }: ToBeSigned): TransportRequest & {
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
    'webhook-signature': signSync({ id, timestamp, body, secret }),
  }
  return { url, headers, body }
}
