import type { Hmac } from './hmac.ts'

/**
 * SHA-256 of a string in UTF-8. On runtimes with `node:crypto`, `crypto-node.ts` is used instead, which is synchronous.
 */
export function sha256(text: string): Uint8Array | Promise<Uint8Array> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)).then((digest) => new Uint8Array(digest))
}

export function hmacSha256(key: Uint8Array<ArrayBuffer>): Hmac {
  const imported = crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return async (bytes) => new Uint8Array(await crypto.subtle.sign('HMAC', await imported, bytes))
}
