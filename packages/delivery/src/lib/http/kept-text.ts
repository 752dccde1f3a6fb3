/** At most this many bytes of a response body are read and kept. */
export const MAX_KEPT_BYTES = 16_384

export interface KeptText {
  /** Adds bytes of the body. Returns false once the body exceeds {@link MAX_KEPT_BYTES}. */
  add(chunk: Uint8Array): boolean
  /**
   * The kept bytes as text that Postgres accepts: NUL and bytes that are not UTF-8 become U+FFFD. If that makes the
   * text longer than {@link MAX_KEPT_BYTES}, it is cut again, between characters. A compressed body is never
   * decompressed, so only its coding is kept: `compressed (gzip)`.
   */
  read(compression?: string): string
}

const EMPTY = new Uint8Array(0)
const WHOLE = new TextDecoder('utf-8', { ignoreBOM: true })
/** The maximum number of UTF-8 bytes for one UTF-16 code unit. */
const BYTES_PER_UNIT = 3

/**
 * Collects the start of a response body. A single piece is kept without copying. Further pieces are copied into one
 * buffer that doubles in size when it is full. A list of one-byte pieces would take a hundred times the size of the
 * body.
 */
export function createKeptText(): KeptText {
  let buffer: Uint8Array = EMPTY
  let length = 0
  let cut = false

  return {
    add(chunk) {
      const taken = chunk.subarray(0, MAX_KEPT_BYTES - length)
      cut ||= taken.length < chunk.length
      if (length === 0) {
        buffer = taken
      } else {
        if (buffer.length < length + taken.length) {
          const larger = new Uint8Array(Math.max(2 * buffer.length, length + taken.length))
          larger.set(buffer)
          buffer = larger
        }
        buffer.set(taken, length)
      }
      length += taken.length
      return !cut
    },
    read(compression) {
      if (length === 0) return ''
      if (compression !== undefined) return `compressed (${compression})`
      // The option `stream` drops a character that the cut has split; without it, U+FFFD would replace the character.
      const decoder = cut ? new TextDecoder('utf-8', { ignoreBOM: true }) : WHOLE
      const decoded = decoder.decode(buffer.subarray(0, length), { stream: cut })
      const text = decoded.includes('\0') ? decoded.replaceAll('\0', '\ufffd') : decoded
      if (text.length * BYTES_PER_UNIT <= MAX_KEPT_BYTES) return text
      const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_KEPT_BYTES))
      return text.slice(0, read)
    },
  }
}
