/** How much of a response body is read and kept, in bytes. */
export const MAX_KEPT_BYTES = 16_384

export interface KeptText {
  /** Takes bytes of the body; false once there were more than {@link MAX_KEPT_BYTES}. */
  add(chunk: Uint8Array): boolean
  /**
   * What came, as text that Postgres takes. Bytes that are not UTF-8, and NUL, become U+FFFD; since that makes them
   * longer, the text is cut again to {@link MAX_KEPT_BYTES}, between characters.
   */
  read(): string
}

/**
 * Collects the start of a response body. One buffer rather than a list of chunks: a body that drips one byte at a time
 * would otherwise cost a hundred times its size.
 */
export function createKeptText(): KeptText {
  let buffer = new Uint8Array(0)
  let length = 0
  let cut = false

  return {
    add(chunk) {
      if (buffer.length === 0) buffer = new Uint8Array(MAX_KEPT_BYTES)
      const taken = chunk.subarray(0, MAX_KEPT_BYTES - length)
      buffer.set(taken, length)
      length += taken.length
      cut ||= taken.length < chunk.length
      return !cut
    },
    read() {
      // A stream that is not flushed leaves out a character cut in half instead of marking it.
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      const text = decoder.decode(buffer.subarray(0, length), { stream: cut }).replaceAll('\0', '\ufffd')
      const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_KEPT_BYTES))
      return text.slice(0, read)
    },
  }
}
