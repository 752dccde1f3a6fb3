import { createHmac } from 'node:crypto'
import type { HmacSignature, SignatureFormat } from '@callboard/core'
import { isSecret, signSync } from '@callboard/signature'

export interface ToBeSigned {
  /** The event's id. */
  readonly id: string
  /** Unix time of the attempt, in seconds. */
  readonly timestamp: number
  readonly body: Uint8Array
  /** The secrets that sign, newest first. */
  readonly secret: readonly string[]
}

/** The headers that carry a delivery's signatures. */
export function signatureHeaders(formats: readonly SignatureFormat[], signed: ToBeSigned): Record<string, string> {
  const { id, timestamp, body, secret } = signed
  // An older secret that can sign only as `hmac` is left out: no receiver could verify a standard signature with it.
  const standard = formats.some((format) => typeof format === 'string')
    ? signSync({ id, timestamp, body, secret: secret.filter(isSecret) })
    : ''
  const headers: Record<string, string> = {}
  for (const format of formats) {
    if (format === 'standard') headers['webhook-signature'] = standard
    else if (format === 'svix')
      Object.assign(headers, { 'svix-id': id, 'svix-timestamp': String(timestamp), 'svix-signature': standard })
    else Object.assign(headers, hmacHeaders(format, signed))
  }
  return headers
}

function hmacHeaders(
  { header, over, encoding, prefix = '', timestampHeader }: HmacSignature,
  { timestamp, body, secret: [newest] }: ToBeSigned,
): Record<string, string> {
  if (newest === undefined) throw new Error('the subscription has no secret')
  const hmac = createHmac('sha256', newest)
  if (over === 'timestamp.body') hmac.update(`${timestamp}.`)
  const signature = hmac.update(body).digest(encoding)
  return {
    ...(timestampHeader !== undefined && { [timestampHeader]: String(timestamp) }),
    [header]: prefix.replaceAll('{timestamp}', String(timestamp)) + signature,
  }
}
