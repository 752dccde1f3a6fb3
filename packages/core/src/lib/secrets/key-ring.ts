import { hmacSha256 } from '#crypto'
import { encodeBase64Url } from '../encoding/base64url.ts'
import { CallboardError } from '../errors.ts'
import type { Issue } from '../validation/issue.ts'
import type { Hmac } from './hmac.ts'

/** The keys that a platform keeps outside its database. To rotate, add a key, make it current and keep the old key. */
export interface SecretKeys {
  /** Id of the key that is used for new secrets, cursors and digests. */
  readonly current: string
  /**
   * Keys by id (`A–Z a–z 0–9 _ -`, 1–32 characters), each at least 32 random bytes long, as a byte array or as base64.
   * Keep an old key as long as data that was created with it must be readable.
   */
  readonly keys: Readonly<Record<string, Uint8Array | string>>
}

/**
 * Derives independent keys for sealing, for cursors and for digests from each of the platform's keys (HKDF, RFC 5869).
 * Each derived key is computed only once.
 */
export interface KeyRing {
  /** Id of the current key. */
  readonly current: string
  /** The AES-256-GCM key that seals secrets; undefined when the ring has no key with this id. */
  sealing(keyId: string): Promise<CryptoKey> | undefined
  /** The AES-256-GCM key that encrypts the cursors of the feed; undefined when the ring has no key with this id. */
  cursorSealing(keyId: string): Promise<CryptoKey> | undefined
  /** The HMAC that authenticates cursors; undefined when the ring has no key with this id. */
  cursorHmac(keyId: string): Promise<Hmac> | undefined
  /**
   * Returns the keyed digests of a text, `<key id>.<base64url HMAC-SHA256>`: one digest for each key of the ring,
   * starting with the current key.
   */
  digests(text: string): Promise<string[]>
}

const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/
const MIN_BYTES = 32

const NEW_KEY = 'Create a key with: openssl rand -base64 32'

/**
 * Names a mistake that is often made with a key in an environment variable. The sentence contains no part of the key.
 */
function problemOf(key: string): string | undefined {
  if (key.trim() === '') return 'the key is empty, perhaps because its environment variable is not set'
  // Such a text is also valid base64, but of other bytes than were meant.
  if (/^(?:[\da-f]{2}){32,}$/i.test(key)) return 'the key is hexadecimal, but must be base64'
  return undefined
}

/**
 * Checks a platform's keys and creates the key ring.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` with an issue for each invalid key. No issue contains a key.
 */
export function createKeyRing({ current, keys }: SecretKeys): KeyRing {
  const issues: Issue[] = []
  const add = (path: string, message: string): void => void issues.push({ path, code: 'INVALID', message })
  const bytesOf = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const [keyId, key] of Object.entries(keys)) {
    const path = `secretKeys.keys.${keyId}`
    const bytes = keyBytes(key)
    const problem = typeof key === 'string' ? problemOf(key) : undefined
    if (!KEY_ID.test(keyId)) add(path, 'a key id must be 1 to 32 characters from A-Z, a-z, 0-9, _ and -.')
    if (problem !== undefined) add(path, `${problem}. ${NEW_KEY}`)
    else if (bytes === undefined) add(path, `a key must be bytes or a base64 string. ${NEW_KEY}`)
    else if (bytes.length < MIN_BYTES)
      add(path, `the key has ${bytes.length} bytes, but must have at least ${MIN_BYTES}. ${NEW_KEY}`)
    else bytesOf.set(keyId, bytes)
  }
  if (!Object.hasOwn(keys, current)) add('secretKeys.current', 'must be the id of one of the keys.')
  const [first] = issues
  if (first !== undefined)
    throw new CallboardError('CONFIGURATION_INVALID', `${first.path}: ${first.message}`, { issues })

  const derived = <Key>(make: (bytes: Uint8Array<ArrayBuffer>) => Promise<Key>) => {
    const made = new Map<string, Promise<Key>>()
    return (keyId: string): Promise<Key> | undefined => {
      const bytes = bytesOf.get(keyId)
      if (bytes === undefined) return undefined
      const key = made.get(keyId) ?? make(bytes)
      made.set(keyId, key)
      return key
    }
  }
  const digestHmac = derived((bytes) => deriveHmac(bytes, 'digest'))
  const digest = async (keyId: string, text: Uint8Array<ArrayBuffer>): Promise<string[]> => {
    const hmac = await digestHmac(keyId)
    return hmac === undefined ? [] : [`${keyId}.${encodeBase64Url(await hmac(text))}`]
  }
  const newestFirst = [current, ...[...bytesOf.keys()].filter((keyId) => keyId !== current)]
  return {
    current,
    sealing: derived((bytes) => deriveSealing(bytes, 'seal')),
    cursorSealing: derived((bytes) => deriveSealing(bytes, 'seal-cursor')),
    cursorHmac: derived((bytes) => deriveHmac(bytes, 'cursor')),
    async digests(text) {
      const bytes = new TextEncoder().encode(text)
      return (await Promise.all(newestFirst.map((keyId) => digest(keyId, bytes)))).flat()
    },
  }
}

/**
 * Compares a stored digest with the digests of a text. `unknown-key` means that they cannot be compared, because the
 * ring no longer has the key of the stored digest.
 */
export function matchDigest(kept: string, digests: readonly string[]): 'same' | 'different' | 'unknown-key' {
  if (digests.includes(kept)) return 'same'
  const keyId = kept.slice(0, kept.indexOf('.') + 1)
  return keyId !== '' && digests.some((digest) => digest.startsWith(keyId)) ? 'different' : 'unknown-key'
}

function keyBytes(key: unknown): Uint8Array<ArrayBuffer> | undefined {
  // Copies the bytes, because the platform may wipe its own array.
  if (key instanceof Uint8Array) return Uint8Array.from(key)
  if (typeof key !== 'string' || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(key))
    return undefined
  return Uint8Array.from(atob(key), (character) => character.charCodeAt(0))
}

async function deriveSealing(bytes: Uint8Array<ArrayBuffer>, purpose: 'seal' | 'seal-cursor'): Promise<CryptoKey> {
  const { parameters, source } = await derivation(bytes, purpose)
  return crypto.subtle.deriveKey(parameters, source, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

async function deriveHmac(bytes: Uint8Array<ArrayBuffer>, purpose: 'cursor' | 'digest'): Promise<Hmac> {
  const { parameters, source } = await derivation(bytes, purpose)
  return hmacSha256(new Uint8Array(await crypto.subtle.deriveBits(parameters, source, 256)))
}

async function derivation(bytes: Uint8Array<ArrayBuffer>, purpose: 'seal' | 'seal-cursor' | 'cursor' | 'digest') {
  const source = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey', 'deriveBits'])
  const info = new TextEncoder().encode(`callboard/v1/${purpose}`)
  // No salt is needed, because the input is already uniformly random (RFC 5869, section 3.1).
  return { parameters: { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }, source }
}
