import { sha256 } from '#crypto'
import type { Mode } from '../accounts/mode.ts'
import { encodeBase62 } from '../encoding/base62.ts'
import { crc32 } from '../encoding/crc32.ts'
import { CallboardError } from '../errors.ts'
import { createId, uuidFromId } from '../id.ts'

const ID_LENGTH = 22
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const BODY = new RegExp(`^_(?:live|test)_[0-9A-Za-z]{${ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`)
/** The base62 encodings of the largest 128-bit number and the largest 256-bit number. */
const MAX_ID = encodeBase62((1n << 128n) - 1n, ID_LENGTH)
const MAX_SECRET = encodeBase62((1n << 256n) - 1n, SECRET_LENGTH)

export interface CreateApiKeyOptions {
  /** First part of the token; must satisfy {@link isApiKeyPrefix}. */
  readonly prefix: string
  readonly mode: Mode
  /** Public id of the key; a new one by default. */
  readonly id?: string | undefined
  /** Fills an array with random bytes; the runtime's `crypto.getRandomValues` by default. */
  readonly random?: ((bytes: Uint8Array<ArrayBuffer>) => Uint8Array) | undefined
}

export interface ApiKey {
  /** `key_…`, safe to show and to log. */
  readonly id: string
  /** The credential the caller sends; shown once and never stored. */
  readonly token: string
}

/**
 * Whether a prefix is 1 to 16 characters, a–z and 0–9. A prefix contains no underscore, so a token can be split into
 * its parts in only one way.
 */
export function isApiKeyPrefix(prefix: string): boolean {
  return /^[a-z0-9]{1,16}$/.test(prefix)
}

/**
 * Creates a key, `<prefix>_<live|test>_<22 base62: id><43 base62: 256 random bits><6 base62: CRC-32 of the rest>`.
 * The checksum lets Callboard reject a mistyped key without a lookup. The fixed prefix lets secret scanners find keys.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for an invalid prefix; `TypeError` for an id that is not a key id.
 */
export function createApiKey(options: CreateApiKeyOptions): ApiKey {
  const { prefix, mode, id = createId('key'), random = (bytes) => crypto.getRandomValues(bytes) } = options
  if (!isApiKeyPrefix(prefix)) {
    throw new CallboardError('CONFIGURATION_INVALID', 'keyPrefix must be 1 to 16 characters, a-z and 0-9 only.')
  }
  const idBits = BigInt(`0x${uuidFromId('key', id).replaceAll('-', '')}`)
  let secret = 0n
  for (const byte of random(new Uint8Array(32))) secret = (secret << 8n) | BigInt(byte)
  const unsigned = `${prefix}_${mode}_${encodeBase62(idBits, ID_LENGTH)}${encodeBase62(secret, SECRET_LENGTH)}`
  return { id, token: unsigned + checksum(unsigned) }
}

/**
 * Whether a token is well formed: it has this prefix, a matching checksum, and an id and a secret within their ranges.
 * Only a store knows whether the key exists.
 */
export function isApiKey(token: string, prefix: string): boolean {
  const modeAt = prefix.length + 1
  const idAt = modeAt + 'live_'.length
  const secretAt = idAt + ID_LENGTH
  const checksumAt = secretAt + SECRET_LENGTH
  return (
    token.startsWith(prefix) &&
    BODY.test(token.slice(prefix.length)) &&
    token.slice(idAt, secretAt) <= MAX_ID &&
    token.slice(secretAt, checksumAt) <= MAX_SECRET &&
    token.slice(checksumAt) === checksum(token.slice(0, checksumAt))
  )
}

/**
 * Returns the SHA-256 of the whole token, which a store keeps instead of the token. A slow hash is not needed, because
 * a token with 256 random bits cannot be guessed.
 */
export function hashApiKey(token: string): Uint8Array | Promise<Uint8Array> {
  return sha256(token)
}

/**
 * The last four characters of a token, by which people recognise it. They are part of its checksum, which tells at most
 * 24 bits of 256.
 */
export function lastCharactersOf(token: string): string {
  return token.slice(-4)
}

function checksum(text: string): string {
  return encodeBase62(crc32(text), CHECKSUM_LENGTH)
}
