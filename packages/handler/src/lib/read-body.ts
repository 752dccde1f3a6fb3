/** Why a body could not be read: it is longer than allowed, or its sender never finished it. */
export type BodyFault = 'too-large' | 'broken-off'

/**
 * Whether `content-length` already says that the body is too large, so that nothing of it needs to be read. A header
 * that is absent, wrong or no number says nothing: `readBody` counts in any case.
 */
export function declaresMoreThan(maxBytes: number, { headers }: Request): boolean {
  return Number(headers.get('content-length')) > maxBytes
}

/**
 * The bytes of a request's body, none when it has no body. At most the chunk that exceeds `maxBytes` is read beyond it,
 * and the stream is never cancelled: in Node that cuts the connection before the answer is out.
 */
export async function readBody({ body }: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | BodyFault> {
  if (body === null) return new Uint8Array()
  // Not `for await`: leaving such a loop cancels the stream.
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
