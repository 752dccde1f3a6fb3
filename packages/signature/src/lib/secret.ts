import { WebhookVerificationError } from './webhook-verification-error.ts'

const PREFIX = 'whsec_'

/** Generates a signing secret: `whsec_` and the base64 of 32 random bytes. */
export function generateSecret(): string {
  return PREFIX + btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
}

/** Whether a text is a signing secret: `whsec_` and the padded base64 of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  return text.startsWith(PREFIX) && isKey(text.slice(PREFIX.length))
}

/**
 * The maximum number of cached keys: enough for a worker, which signs for many subscriptions. 1,000 keys take only half
 * a megabyte.
 */
const MAX_KEPT = 1000

/**
 * Creates a function that turns one or more secrets, with or without `whsec_`, into keys to sign with. It caches the
 * keys, because importing a key takes as long as signing with it. It throws `SECRET_INVALID` if there is no secret, or
 * if a secret is not padded base64 of 24–64 bytes (Standard Webhooks 1.0.0, “Signature scheme”).
 */
export function createSecretKeys<Key>(
  importKey: (bytes: Uint8Array<ArrayBuffer>) => Key,
): (secret: string | readonly string[]) => Key[] {
  const kept = new Map<string, Key>()
  function keyOf(secret: string): Key {
    let key = kept.get(secret)
    if (key === undefined) {
      key = importKey(keyBytes(secret))
      if (kept.size >= MAX_KEPT) kept.clear()
      kept.set(secret, key)
    }
    return key
  }
  return (secret) => {
    const keys = typeof secret === 'string' ? [keyOf(secret)] : [secret].flat().map(keyOf)
    if (keys.length === 0) throw invalid()
    return keys
  }
}

function keyBytes(secret: unknown): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string') throw invalid()
  const base64 = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  // Without this check, `atob` would throw its own errors, and would skip spaces.
  if (!isKey(base64)) throw invalid()
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** 24 bytes are 32 characters of base64, and 64 bytes are 86 characters and `==`. */
function isKey(base64: string): boolean {
  return base64.length % 4 === 0 && /^[A-Za-z\d+/]{32,86}={0,2}$/.test(base64)
}

function invalid(): WebhookVerificationError {
  return new WebhookVerificationError(
    'SECRET_INVALID',
    'A secret is whsec_ followed by the base64 of 24 to 64 bytes; is its environment variable set?',
  )
}
