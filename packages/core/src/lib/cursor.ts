import { decodeBase64Url, encodeBase64Url } from './base64url.ts'
import { idFromUuid, uuidFromId } from './id.ts'
import type { KeyRing } from './key-ring.ts'
import type { Mode } from './mode.ts'
import type { EventPosition } from './ports/event-store.ts'

/**
 * Bytes of a cursor: version (1) · length of the key id (1) · key id · milliseconds since the epoch (6) · the event's
 * UUID (16) · HMAC-SHA256 (32) over all of these and what the cursor is bound to.
 */
const VERSION = 1
const TIME_BYTES = 6
const UUID_BYTES = 16
const MAC_BYTES = 32
const MAX_TIME = 2 ** (8 * TIME_BYTES)
/** The longest text there is: a key id of 32 characters. */
const MAX_LENGTH = Math.ceil(((2 + 32 + TIME_BYTES + UUID_BYTES + MAC_BYTES) * 4) / 3)

/** Whose events a cursor leads through, and under which filter; with any other it does not verify. */
export interface CursorBinding {
  readonly accountId: string
  readonly mode: Mode
  /** The `type` filter; undefined: none. */
  readonly type?: string | undefined
}

/** A cursor that is well formed and not yet known to be genuine. */
export interface ReadCursor {
  readonly position: EventPosition
  readonly keyId: string
  /** What its HMAC is over, but for the binding. */
  readonly signed: Uint8Array<ArrayBuffer>
  readonly mac: Uint8Array<ArrayBuffer>
}

/** An opaque text for a position in the order of `GET /v1/events` (decisions, “Cursors”). */
export async function encodeCursor(position: EventPosition, binding: CursorBinding, ring: KeyRing): Promise<string> {
  const { occurredAt, id } = position
  if (!Number.isInteger(occurredAt) || occurredAt < 0 || occurredAt >= MAX_TIME)
    throw new RangeError('not a time that a cursor can hold')
  const key = await ring.derive('cursor', ring.current)
  if (key === undefined) throw new Error('the key ring has no current key')
  const keyId = new TextEncoder().encode(ring.current)
  const hex = occurredAt.toString(16).padStart(TIME_BYTES * 2, '0') + uuidFromId('evt', id).replaceAll('-', '')
  const signed = Uint8Array.from([VERSION, keyId.length, ...keyId, ...bytesFromHex(hex)])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, boundBytes(signed, binding)))
  return encodeBase64Url(Uint8Array.from([...signed, ...mac]))
}

/**
 * Takes a cursor apart; undefined when no cursor looks like it. The position is for reading only: whose account it is
 * comes back with the page, and until {@link verifyCursor} said yes nothing of the page may be shown.
 */
export function readCursor(text: string): ReadCursor | undefined {
  const bytes = text.length > MAX_LENGTH ? undefined : decodeBase64Url(text)
  if (bytes === undefined) return undefined
  const [version, keyIdLength = 0] = bytes
  const timeAt = 2 + keyIdLength
  const uuidAt = timeAt + TIME_BYTES
  const macAt = uuidAt + UUID_BYTES
  if (version !== VERSION || keyIdLength === 0 || bytes.length !== macAt + MAC_BYTES) return undefined
  const occurredAt = Number.parseInt(hexFromBytes(bytes.subarray(timeAt, uuidAt)), 16)
  const id = idFromUuid('evt', hexFromBytes(bytes.subarray(uuidAt, macAt)))
  const keyId = new TextDecoder().decode(bytes.subarray(2, timeAt))
  return { position: { occurredAt, id }, keyId, signed: bytes.subarray(0, macAt), mac: bytes.subarray(macAt) }
}

/** Whether a cursor is as it was handed out, for this account, mode and filter, under a key that the ring still has. */
export async function verifyCursor(
  { keyId, signed, mac }: ReadCursor,
  binding: CursorBinding,
  ring: KeyRing,
): Promise<boolean> {
  const key = await ring.derive('cursor', keyId)
  return key !== undefined && crypto.subtle.verify('HMAC', key, mac, boundBytes(signed, binding))
}

/** `signed` says where it ends (a version has one layout), so nothing of the binding can pass for a part of it. */
function boundBytes(signed: Uint8Array, { accountId, mode, type }: CursorBinding): Uint8Array<ArrayBuffer> {
  const binding = new TextEncoder().encode(JSON.stringify([accountId, mode, type ?? null]))
  const bytes = new Uint8Array(signed.length + binding.length)
  bytes.set(signed)
  bytes.set(binding, signed.length)
  return bytes
}

function bytesFromHex(hex: string): number[] {
  return Array.from({ length: hex.length / 2 }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))
}

function hexFromBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
