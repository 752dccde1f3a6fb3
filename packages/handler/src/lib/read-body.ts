/** Why a body could not be read: it is too large, or the connection ended before the body was complete. */
export type BodyFault = 'too-large' | 'broken-off'

/**
 * Whether `content-length` declares a body of more than `maxBytes`. Such a body need not be read. The header can be
 * missing or wrong, so `readBody` counts the bytes in any case.
 */
export function declaresMoreThan(maxBytes: number, { headers }: Request): boolean {
  return Number(headers.get('content-length')) > maxBytes
}

/**
 * Reads the bytes of a request's body; empty when the request has no body. Reading stops at the chunk that exceeds
 * `maxBytes`. The stream is never cancelled, because Node would then close the connection before the response is sent.
 */
export async function readBody({ body }: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | BodyFault> {
  if (body === null) return new Uint8Array()
  // `for await` is not used, because it would cancel the stream when the loop is left.
  const reader = body.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  try {
    for (;;) {
      const read = await reader.read().catch(() => 'broken-off' as const)
      if (read === 'broken-off') return read
      if (read.done) return joined(chunks, length)
      length += read.value.byteLength
      if (length > maxBytes) return 'too-large'
      chunks.push(read.value)
    }
  } finally {
    reader.releaseLock()
  }
}

function joined(chunks: readonly Uint8Array<ArrayBuffer>[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let end = 0
  for (const chunk of chunks) {
    bytes.set(chunk, end)
    end += chunk.byteLength
  }
  return bytes
}
