import { decodeBase64Url, encodeBase64Url } from '../encoding/base64url.ts'
import { idFromUuid, uuidFromId } from '../id.ts'
import type { FeedPlace } from '../ports/feed-page.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { ListBinding } from './cursor-format.ts'

/**
 * The parts of a cursor of the feed, each with its length in bytes: version (1), length of the key id (1), key id
 * (1 to 32), nonce (12), and the place, encrypted with its tag by AES-256-GCM (46 + 16). Cursors of other lists have
 * version 1.
 *
 * The place: generation (16), position (8), the event's UUID (16) and time (6), both zero if the place has no event.
 */
const VERSION = 2
const NONCE_BYTES = 12
const TAG_BYTES = 16
const POSITION_AT = 16
const EVENT_AT = 24
const TIME_AT = 40
const PLACE_BYTES = 46
const NO_UUID = '00000000-0000-0000-0000-000000000000'
/** Length of the longest cursor, whose key id has 32 characters. */
const MAX_LENGTH = Math.ceil(((2 + 32 + NONCE_BYTES + PLACE_BYTES + TAG_BYTES) * 4) / 3)

/**
 * Reads and writes the cursors of the feed. They are encrypted, because positions count the events of the whole
 * platform. A cursor stays valid until the key that encrypted it leaves the ring.
 */
export interface FeedCursors {
  seal(place: FeedPlace, binding: ListBinding): Promise<string>
  /** Undefined for a cursor that was altered, belongs to another list, or was encrypted under a key that is gone. */
  open(cursor: string, binding: ListBinding): Promise<FeedPlace | undefined>
}

export function createFeedCursors(ring: KeyRing): FeedCursors {
  return {
    async seal(place, binding) {
      const [key, hmac] = await Promise.all([ring.cursorSealing(ring.current), ring.cursorHmac(ring.current)])
      if (key === undefined || hmac === undefined) throw new Error('the key ring has no current key')
      const bytes = bytesOf(place)
      const bound = boundBytes(binding)
      // Derived from the content, as in AES-SIV: random nonces are safe for only 2^32 cursors per key (NIST SP 800-38D,
      // section 8.3), and a stream gives out one per event. The same place always has the same cursor.
      const nonce = (await hmac(joined(bound, bytes))).subarray(0, NONCE_BYTES)
      const keyId = new TextEncoder().encode(ring.current)
      const header = joined(Uint8Array.of(VERSION, keyId.length), keyId)
      const parameters = { name: 'AES-GCM', iv: Uint8Array.from(nonce), additionalData: joined(header, bound) }
      const sealed = new Uint8Array(await crypto.subtle.encrypt(parameters, key, bytes))
      return encodeBase64Url(joined(header, nonce, sealed))
    },
    async open(cursor, binding) {
      const bytes = cursor.length > MAX_LENGTH ? undefined : decodeBase64Url(cursor)
      const [version, keyIdLength = 0] = bytes ?? []
      const nonceAt = 2 + keyIdLength
      const sealedAt = nonceAt + NONCE_BYTES
      if (bytes === undefined || version !== VERSION || bytes.length !== sealedAt + PLACE_BYTES + TAG_BYTES)
        return undefined
      const header = bytes.subarray(0, nonceAt)
      const key = await ring.cursorSealing(new TextDecoder().decode(header.subarray(2)))
      if (key === undefined) return undefined
      const additionalData = joined(header, boundBytes(binding))
      const parameters = { name: 'AES-GCM', iv: bytes.subarray(nonceAt, sealedAt), additionalData }
      try {
        return placeOf(new Uint8Array(await crypto.subtle.decrypt(parameters, key, bytes.subarray(sealedAt))))
      } catch {
        return undefined
      }
    },
  }
}

function bytesOf({ generation, position, event }: FeedPlace): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(PLACE_BYTES)
  const view = new DataView(bytes.buffer)
  bytes.set(bytesOfUuid(generation))
  view.setBigUint64(POSITION_AT, BigInt(position))
  if (event === undefined) return bytes
  bytes.set(bytesOfUuid(uuidFromId('evt', event.id)), EVENT_AT)
  view.setUint16(TIME_AT, Math.floor(event.publishedAt / 2 ** 32))
  view.setUint32(TIME_AT + 2, event.publishedAt % 2 ** 32)
  return bytes
}

function placeOf(bytes: Uint8Array<ArrayBuffer>): FeedPlace {
  const view = new DataView(bytes.buffer)
  const uuid = uuidOf(bytes.subarray(EVENT_AT, TIME_AT))
  const publishedAt = view.getUint16(TIME_AT) * 2 ** 32 + view.getUint32(TIME_AT + 2)
  return {
    generation: uuidOf(bytes.subarray(0, POSITION_AT)),
    position: Number(view.getBigUint64(POSITION_AT)),
    event: uuid === NO_UUID ? undefined : { id: idFromUuid('evt', uuid), publishedAt },
  }
}

function bytesOfUuid(uuid: string): Uint8Array {
  return Uint8Array.from(uuid.replaceAll('-', '').match(/../g) ?? [], (hex) => Number.parseInt(hex, 16))
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function boundBytes(binding: ListBinding): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(binding))
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
