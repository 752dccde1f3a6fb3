import { decodeBase64Url, encodeBase64Url } from '../encoding/base64url.ts'
import { idFromUuid, uuidFromId } from '../id.ts'
import type { AccountMode } from '../ports/account-store.ts'
import type { EventPlace } from '../ports/event-store.ts'
import type { KeyRing } from '../secrets/key-ring.ts'

/**
 * The parts of a cursor, each with its length in bytes: version (1), length of the key id (1), key id (1 to 32),
 * number (6), UUID (16), HMAC-SHA256 (32). The HMAC covers all bytes before it, and the binding. In a list of events,
 * the number is a time in milliseconds since the epoch.
 */
const VERSION = 1
const NUMBER_BYTES = 6
const UUID_BYTES = 16
const MAC_BYTES = 32
const MAX_NUMBER = 2 ** (8 * NUMBER_BYTES)
/** Length of the longest cursor, whose key id has 32 characters. */
const MAX_LENGTH = Math.ceil(((2 + 32 + NUMBER_BYTES + UUID_BYTES + MAC_BYTES) * 4) / 3)

/** The account, mode and filter for which a cursor was issued. The cursor is valid only for the same three. */
export interface CursorBinding extends AccountMode {
  /** The `type` filter; undefined when there is none. */
  readonly type?: string | undefined
}

/**
 * Identifies a list and its filters, so that a cursor is never valid for another list. Two lists never have the same
 * binding: the binding of the list that `GET /v1/events` reads has three elements; every other binding has more, and
 * its third element names the list.
 */
export type ListBinding = readonly (string | null)[]

/** The place in a list after which the next page starts. */
export interface Place {
  /** A whole number from 0 to 2^48 − 1. */
  readonly number: number
  readonly uuid: string
}

/** A cursor that is well formed but not yet verified. */
export interface ReadPlace extends Place {
  readonly keyId: string
  /** All bytes before the HMAC. The HMAC covers these bytes and the binding. */
  readonly signed: Uint8Array<ArrayBuffer>
  readonly mac: Uint8Array<ArrayBuffer>
}

/** The cursor of a list of events. */
export interface ReadCursor extends ReadPlace {
  readonly place: EventPlace
}

/**
 * Encodes a place in the order of `GET /v1/events` (not in the feed) as an opaque string. A cursor does not expire:
 * it stays valid until the key that signed it leaves the ring.
 */
export function encodeCursor({ occurredAt, id }: EventPlace, binding: CursorBinding, ring: KeyRing): Promise<string> {
  return encodePlace({ number: occurredAt, uuid: uuidFromId('evt', id) }, eventsBinding(binding), ring)
}

/**
 * Parses a cursor; undefined when it is malformed. The cursor is not verified yet. You can read a page with its
 * place, but do not return the page until {@link verifyCursor} has accepted the cursor for the account whose events
 * the page contains.
 */
export function readCursor(text: string): ReadCursor | undefined {
  const read = readPlace(text)
  return read && { ...read, place: { occurredAt: read.number, id: idFromUuid('evt', read.uuid) } }
}

/**
 * Whether a cursor is unaltered, was issued for this account, mode and filter, and was signed with a key of the ring.
 */
export function verifyCursor(cursor: ReadCursor, binding: CursorBinding, ring: KeyRing): Promise<boolean> {
  return verifyPlace(cursor, eventsBinding(binding), ring)
}

function eventsBinding({ accountId, mode, type }: CursorBinding): ListBinding {
  return [accountId, mode, type ?? null]
}

/** Like {@link encodeCursor}, for any list. */
export async function encodePlace({ number, uuid }: Place, binding: ListBinding, ring: KeyRing): Promise<string> {
  if (!Number.isInteger(number) || number < 0 || number >= MAX_NUMBER)
    throw new RangeError('not a number that a cursor can hold')
  const hmac = await ring.cursorHmac(ring.current)
  if (hmac === undefined) throw new Error('the key ring has no current key')
  const keyId = new TextEncoder().encode(ring.current)
  const numberAt = 2 + keyId.length
  const macAt = numberAt + NUMBER_BYTES + UUID_BYTES
  const bytes = new Uint8Array(macAt + MAC_BYTES)
  bytes[0] = VERSION
  bytes[1] = keyId.length
  bytes.set(keyId, 2)
  writeHex(number.toString(16).padStart(NUMBER_BYTES * 2, '0') + uuid.replaceAll('-', ''), bytes, numberAt)
  bytes.set(await hmac(boundBytes(bytes.subarray(0, macAt), binding)), macAt)
  return encodeBase64Url(bytes)
}

/** Like {@link readCursor}, for any list. */
export function readPlace(text: string): ReadPlace | undefined {
  const bytes = text.length > MAX_LENGTH ? undefined : decodeBase64Url(text)
  if (bytes === undefined) return undefined
  const [version, keyIdLength = 0] = bytes
  const numberAt = 2 + keyIdLength
  const uuidAt = numberAt + NUMBER_BYTES
  const macAt = uuidAt + UUID_BYTES
  if (version !== VERSION || keyIdLength === 0 || bytes.length !== macAt + MAC_BYTES) return undefined
  const number = Number.parseInt(hexFromBytes(bytes.subarray(numberAt, uuidAt)), 16)
  const uuid = hexFromBytes(bytes.subarray(uuidAt, macAt))
  const keyId = new TextDecoder().decode(bytes.subarray(2, numberAt))
  return { number, uuid, keyId, signed: bytes.subarray(0, macAt), mac: bytes.subarray(macAt) }
}

/** Like {@link verifyCursor}, for any list. */
export async function verifyPlace(
  { keyId, signed, mac }: ReadPlace,
  binding: ListBinding,
  ring: KeyRing,
): Promise<boolean> {
  const hmac = await ring.cursorHmac(keyId)
  return hmac !== undefined && areEqual(mac, await hmac(boundBytes(signed, binding)))
}

/** Compares in constant time. */
function areEqual(mac: Uint8Array, expected: Uint8Array): boolean {
  let difference = mac.length ^ expected.length
  for (let index = 0; index < expected.length; index++) difference |= (mac[index] ?? 0) ^ (expected[index] ?? 0)
  return difference === 0
}

/**
 * The bytes that the HMAC covers: `signed`, then the binding. No separator is needed, because the version and the
 * length of the key id determine where `signed` ends.
 */
function boundBytes(signed: Uint8Array, bound: ListBinding): Uint8Array<ArrayBuffer> {
  const binding = new TextEncoder().encode(JSON.stringify(bound))
  const bytes = new Uint8Array(signed.length + binding.length)
  bytes.set(signed)
  bytes.set(binding, signed.length)
  return bytes
}

function writeHex(hex: string, bytes: Uint8Array, at: number): void {
  for (let index = 0; index < hex.length; index += 2)
    bytes[at + index / 2] = Number.parseInt(hex.slice(index, index + 2), 16)
}

function hexFromBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
