/**
 * Public ids: a prefix and 26 characters of lower-case Crockford base32 that hold a UUIDv7, so they sort by time
 * as text and fit a `uuid` column (decisions, “Events”: `id`).
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export type IdPrefix = 'evt' | 'key' | 'sub' | 'att' | 'req'

export interface IdOptions {
  /** Milliseconds since the epoch; `Date.now()` by default. */
  readonly now?: number | undefined
  /** Fills an array with random bytes; the runtime's `crypto.getRandomValues` by default. */
  readonly random?: ((bytes: Uint8Array<ArrayBuffer>) => Uint8Array) | undefined
}

/** A new id of the given kind: 48 bits of time, 74 random bits (RFC 9562, UUID version 7). */
export function createId(prefix: IdPrefix, options: IdOptions = {}): string {
  return `${prefix}_${encode(uuidv7(options))}`
}

/** Whether a text is an id of this kind that {@link uuidFromId} can take. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.length === 27 + prefix.length &&
    value.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value.slice(prefix.length + 1))
  )
}

/** The UUID (lower-case, with hyphens) that an id holds. Throws a `TypeError` when {@link isId} would say no. */
export function uuidFromId(prefix: IdPrefix, id: string): string {
  if (!isId(prefix, id)) throw new TypeError(`not an id of kind ${prefix}`)
  let number = 0n
  for (const character of id.slice(prefix.length + 1)) number = number * 32n + BigInt(ALPHABET.indexOf(character))
  const hex = number.toString(16).padStart(32, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The id of this kind that holds a UUID. */
export function idFromUuid(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${encode(BigInt(`0x${uuid.replaceAll('-', '')}`))}`
}

function uuidv7({ now = Date.now(), random = (bytes) => crypto.getRandomValues(bytes) }: IdOptions): bigint {
  const bytes = random(new Uint8Array(10))
  let tail = 0n
  for (const byte of bytes) tail = (tail << 8n) | BigInt(byte)
  // 48 bits of time, version 7, 12 random bits, variant 10, 62 random bits.
  return (
    (BigInt(now) << 80n) |
    (0x7n << 76n) |
    (((tail >> 62n) & 0xfffn) << 64n) |
    (0x2n << 62n) |
    (tail & ((1n << 62n) - 1n))
  )
}

function encode(value: bigint): string {
  let text = ''
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += ALPHABET[Number((value >> shift) & 31n)]
  return text
}
