import { decodeBase64Url, encodeBase64Url } from '../encoding/base64url.ts'
import { CallboardError } from '../errors.ts'
import type { KeyRing } from './key-ring.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEALED = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/

/** Encrypts signing secrets for storage, each bound to its subscription. */
export interface SecretBox {
  /** Seals a secret as `v1.<key id>.<base64url of nonce, ciphertext and tag>`: AES-256-GCM under the current key. */
  seal(subscriptionId: string, secret: string): Promise<string>
  /**
   * Opens a secret that was sealed for this subscription. Throws `CONFIGURATION_INVALID` when the ring lacks the key
   * that sealed it, or when `sealed` was altered or belongs to another subscription. No error message reveals any part
   * of the secret.
   */
  open(subscriptionId: string, sealed: string): Promise<string>
  /** The id of the key with which a secret was sealed, if the ring lacks that key. */
  missingKey(sealed: string): string | undefined
  /** Whether a secret was sealed under the ring's current key. */
  isCurrent(sealed: string): boolean
}

export function createSecretBox(ring: KeyRing): SecretBox {
  return {
    async seal(subscriptionId, secret) {
      const key = await ring.sealing(ring.current)
      if (key === undefined) throw unknownKey(ring.current)
      // Random nonces are safe for 2^32 secrets per key (NIST SP 800-38D, section 8.3).
      const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const parameters = { name: 'AES-GCM', iv, additionalData: utf8(subscriptionId) }
      const ciphertext = new Uint8Array(await crypto.subtle.encrypt(parameters, key, utf8(secret)))
      const bytes = new Uint8Array(NONCE_BYTES + ciphertext.length)
      bytes.set(iv)
      bytes.set(ciphertext, NONCE_BYTES)
      return `v1.${ring.current}.${encodeBase64Url(bytes)}`
    },
    async open(subscriptionId, sealed) {
      const [, keyId, body] = SEALED.exec(sealed) ?? []
      const bytes = body === undefined ? undefined : decodeBase64Url(body)
      if (keyId === undefined || bytes === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new CallboardError('CONFIGURATION_INVALID', 'A sealed secret has a format that this version cannot read.')
      }
      const key = await ring.sealing(keyId)
      if (key === undefined) throw unknownKey(keyId)
      const parameters = { name: 'AES-GCM', iv: bytes.subarray(0, NONCE_BYTES), additionalData: utf8(subscriptionId) }
      try {
        const secret = await crypto.subtle.decrypt(parameters, key, bytes.subarray(NONCE_BYTES))
        return new TextDecoder().decode(secret)
      } catch (cause) {
        const message = `A sealed secret cannot be opened: it was altered, belongs to another subscription, or was sealed with another key that also had the id ${keyId}.`
        throw new CallboardError('CONFIGURATION_INVALID', message, { cause })
      }
    },
    missingKey(sealed) {
      const [, keyId] = SEALED.exec(sealed) ?? []
      return keyId !== undefined && ring.sealing(keyId) === undefined ? keyId : undefined
    },
    isCurrent: (sealed) => SEALED.exec(sealed)?.[1] === ring.current,
  }
}

function unknownKey(keyId: string): CallboardError {
  return new CallboardError(
    'CONFIGURATION_INVALID',
    `secretKeys has no key ${keyId}, with which a secret is sealed. Add that key again.`,
  )
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
