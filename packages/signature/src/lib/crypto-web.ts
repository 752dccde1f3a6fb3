import type { CryptoPort } from './crypto-port.ts'

interface WebKey {
  readonly bytes: Uint8Array<ArrayBuffer>
  imported?: CryptoKey
}

const encoder = new TextEncoder()
const algorithm = { name: 'HMAC', hash: 'SHA-256' }

export const port: CryptoPort<WebKey> = {
  /** WebCrypto can import a key only asynchronously, so the first call of `hmac` imports it. */
  importKey: (bytes) => ({ bytes }),
  async hmac(key, head, body) {
    // Caches the imported key, never its promise: on Cloudflare Workers, only the request that created a promise can
    // await it.
    key.imported ??= await crypto.subtle.importKey('raw', key.bytes, algorithm, false, ['sign'])
    const digest = await crypto.subtle.sign('HMAC', key.imported, concat(head, body))
    return btoa(String.fromCharCode(...new Uint8Array(digest)))
  },
  /** WebCrypto has no synchronous functions. */
  hmacSync: undefined,
  equal(a, b) {
    let difference = 0
    for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
    return difference === 0
  },
}

function concat(head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encoder.encode(head + body)
  const prefix = encoder.encode(head)
  const content = new Uint8Array(prefix.length + body.length)
  content.set(prefix)
  content.set(body, prefix.length)
  return content
}
