import type { Hmac } from './hmac.ts'

/** SHA-256 of a text's UTF-8. */
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

export function hmacSha256(key: Uint8Array<ArrayBuffer>): Hmac {
  const imported = crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return async (bytes) => new Uint8Array(await crypto.subtle.sign('HMAC', await imported, bytes))
}
