import type { SubscriptionRecord } from '@callboard/core'
import { isSecret, verify, WebhookVerificationError } from '@callboard/signature'
import type { TargetRequest } from './test-targets.ts'

type SignatureFormat = SubscriptionRecord['signatures'][number]
type HmacFormat = Extract<SignatureFormat, { readonly type: 'hmac' }>

export interface VerifySentOptions {
  readonly signatures: readonly SignatureFormat[]
  /** The secrets of the subscription, newest first. */
  readonly secret: readonly string[]
  readonly now: Date
}

/** The errors for a request that was sent for another subscription: with another secret, or in another format. */
const OTHERS: readonly string[] = ['SIGNATURE_MISMATCH', 'HEADER_MISSING']

/**
 * Whether a request carries every signature of a subscription, as its receiver would verify them. Throws if the request
 * is wrong in another way, such as an old timestamp.
 */
export async function verifySent(
  { headers: sent, body }: TargetRequest,
  { signatures, secret, now }: VerifySentOptions,
): Promise<boolean> {
  const headers = new Headers(sent)
  for (const format of signatures) {
    if (typeof format === 'object') {
      if (!(await hasHmac(format, headers, body, secret[0] ?? ''))) return false
      continue
    }
    const prefix = format === 'svix' ? 'svix' : 'webhook'
    const named = ['id', 'timestamp', 'signature'].map((name) => [
      `webhook-${name}`,
      headers.get(`${prefix}-${name}`) ?? undefined,
    ])
    try {
      // An older secret may be one that signs only as `hmac`.
      await verify({ body, headers: Object.fromEntries(named), secret: secret.filter(isSecret), now })
    } catch (error) {
      const isOthers = error instanceof WebhookVerificationError && OTHERS.includes(error.code)
      if (!isOthers) throw error
      return false
    }
  }
  return true
}

async function hasHmac(
  { header, over, encoding, prefix = '', timestampHeader }: HmacFormat,
  headers: Headers,
  body: string,
  secret: string,
): Promise<boolean> {
  const timestamp = headers.get(timestampHeader ?? 'webhook-timestamp') ?? ''
  const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes(secret), algorithm, false, ['sign'])
  const signed = over === 'body' ? body : `${timestamp}.${body}`
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(signed)))
  const text =
    encoding === 'hex'
      ? Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
      : btoa(String.fromCharCode(...mac))
  return headers.get(header) === prefix.replaceAll('{timestamp}', timestamp) + text
}
