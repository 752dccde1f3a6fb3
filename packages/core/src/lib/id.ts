/**
 * Public ids are a prefix and 26 characters of lower-case Crockford base32 that encode a UUIDv7. They therefore sort by
 * time when compared as strings, and fit into a `uuid` column.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 26
const BODY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

const PREFIXES = ['evt', 'key', 'sub', 'att', 'req', 'test'] as const
export type IdPrefix = (typeof PREFIXES)[number]

export interface IdOptions {
  /** Milliseconds since the epoch; `Date.now()` by default. */
  readonly now?: number | undefined
}

/**
 * Creates an id: 48 bits of time, an 18-bit counter within the millisecond and 56 random bits (RFC 9562, UUIDv7,
 * section 6.2, method 1). Ids from one process sort in the order of creation, as long as `now` never decreases and the
 * process creates no more than 131,072 ids in a millisecond.
 */
export function createId(prefix: IdPrefix, { now = Date.now() }: IdOptions = {}): string {
  const bytes = randomBytes()
  const count = countWithin(now, bytes)
  for (let index = 5, time = now; index >= 0; index--, time = Math.floor(time / 256)) bytes[index] = time % 256
  bytes[6] = 0x70 | (count >> 14)
  bytes[7] = (count >> 6) & 0xff
  bytes[8] = 0x80 | (count & 0x3f)
  return `${prefix}_${encode(bytes)}`
}

const COUNTS = 2 ** 18
let countedAt = Number.NaN
let counted = 0

/**
 * Increments the counter within a millisecond. In a new millisecond, the counter starts at a random number in the lower
 * half of its range.
 */
function countWithin(now: number, random: Uint8Array): number {
  const start = (((random[0] ?? 0) << 16) | ((random[1] ?? 0) << 8) | (random[2] ?? 0)) % (COUNTS / 2)
  counted = now === countedAt ? (counted + 1) % COUNTS : start
  countedAt = now
  return counted
}

/** Whether a value is an id with this prefix, which {@link uuidFromId} can then decode. */
export function isId(prefix: IdPrefix, value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length === prefix.length + 1 + LENGTH &&
    value.startsWith(`${prefix}_`) &&
    BODY.test(value.slice(prefix.length + 1))
  )
}

/** The prefix of an id; undefined for anything that is not an id. */
export function prefixOf(value: string): IdPrefix | undefined {
  return PREFIXES.find((prefix) => isId(prefix, value))
}

/** Decodes an id to its UUID, lower-case with hyphens. Throws a `TypeError` when {@link isId} is false. */
export function uuidFromId(prefix: IdPrefix, id: string): string {
  if (!isId(prefix, id)) throw new TypeError(`not an id with the prefix ${prefix}_`)
  // 26 characters of 5 bits are 130 bits, so the first two bits are padding.
  let held = 0
  let bits = -2
  let at = 0
  for (let index = prefix.length + 1; index < id.length; index++) {
    held = ((held << 5) | (VALUES[id.charCodeAt(index)] ?? 0)) & 0xfff
    bits += 5
    while (bits >= 4) {
      bits -= 4
      if (uuidCodes[at] === HYPHEN) at++
      uuidCodes[at++] = HEX.charCodeAt((held >> bits) & 0xf)
    }
  }
  return String.fromCharCode(...uuidCodes)
}

const UUID = /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i

/**
 * Encodes a UUID, with or without hyphens, as an id. Throws a `TypeError` for any other text. A worker calls this for
 * every event that it leases. Working digit by digit takes 0.3 µs, while a version that converted the UUID to bytes
 * took 3 µs.
 */
export function idFromUuid(prefix: IdPrefix, uuid: string): string {
  if (!UUID.test(uuid)) throw new TypeError('not a UUID')
  let held = 0
  // Two zero bits pad the 128 bits of the UUID to 130.
  let bits = 2
  let at = 0
  for (let index = 0; index < uuid.length; index++) {
    const code = uuid.charCodeAt(index)
    if (code === HYPHEN) continue
    // The low four bits of a digit are its value. The low four bits of a letter, in either case, are its value minus 9.
    held = ((held << 4) | (code > NINE ? (code & 0xf) + 9 : code & 0xf)) & 0xfff
    bits += 4
    if (bits < 5) continue
    bits -= 5
    idCodes[at++] = ALPHABET.charCodeAt((held >> bits) & 31)
  }
  return `${prefix}_${String.fromCharCode(...idCodes)}`
}

const HYPHEN = 0x2d
const NINE = 0x39
/** The value of each character of the alphabet, by character code. */
const VALUES = new Uint8Array(128)
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value

const HEX = '0123456789abcdef'

/**
 * A buffer of character codes, from which a string is built in one call. Concatenating characters left 1.5 KB of
 * garbage per UUID, out of the 25 KB that a worker allocated per delivery.
 */
const idCodes: number[] = Array.from({ length: LENGTH }, () => 0)
/** A second such buffer, for a UUID, with the hyphens in place. */
const uuidCodes: number[] = Array.from('00000000-0000-0000-0000-000000000000', (character) => character.charCodeAt(0))

function encode(bytes: Uint8Array): string {
  let held = 0
  // Two zero bits pad the 128 bits of the UUID to 130.
  let bits = 2
  let at = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0x1fff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      idCodes[at++] = ALPHABET.charCodeAt((held >> bits) & 31)
    }
  }
  return String.fromCharCode(...idCodes)
}

const POOL_IDS = 256
const pool = new Uint8Array(16 * POOL_IDS)
let used = POOL_IDS

/**
 * Returns 16 random bytes from a pool that one `crypto` call refills. A separate call for each id took an eighth of a
 * request's time.
 */
function randomBytes(): Uint8Array {
  if (used === POOL_IDS) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const start = 16 * used++
  return pool.subarray(start, start + 16)
}
