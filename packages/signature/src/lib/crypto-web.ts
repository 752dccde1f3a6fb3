const encoder = new TextEncoder()
const algorithm = { name: 'HMAC', hash: 'SHA-256' }

export async function hmac(key: Uint8Array<ArrayBuffer>, head: string, body: string | Uint8Array): Promise<string> {
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const digest = await crypto.subtle.sign('HMAC', imported, concat(head, body))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}

/** WebCrypto answers by promise only. */
export const hmacSync: undefined = undefined

export function equal(a: string, b: string): boolean {
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

function concat(head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encoder.encode(head + body)
  const prefix = encoder.encode(head)
  const content = new Uint8Array(prefix.length + body.length)
  content.set(prefix)
  content.set(body, prefix.length)
  return content
}
