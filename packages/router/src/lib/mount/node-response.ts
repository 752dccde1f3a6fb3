/** The parts of a Node response that the mounts use. A type test checks that the real types fit. */
export interface NodeResponse {
  statusCode: number
  readonly writableEnded: boolean
  /** Only in HTTP/1: whether the connection stays open after the response. */
  shouldKeepAlive?: boolean
  setHeader(name: string, value: string | readonly string[]): unknown
  write(chunk: Uint8Array): boolean
  end(): unknown
  end(body: string): unknown
  destroy(): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
}

/** Returns a signal that aborts when the client leaves before the response has ended. */
export function clientGone(outgoing: Pick<NodeResponse, 'once' | 'writableEnded'>): AbortSignal {
  const gone = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableEnded) gone.abort()
  })
  return gone.signal
}

/** The stream of a response that is sent piece by piece; undefined for a response that is sent whole. */
export function streamOf({ headers, body }: Response): ReadableStream<Uint8Array> | undefined {
  return headers.get('content-type') === 'text/event-stream' ? (body ?? undefined) : undefined
}

/**
 * Closes the connection once the stream has ended. Otherwise, its client would come back on the same connection, and a
 * server that is closing would never be done.
 */
export function closeAfterwards(outgoing: Pick<NodeResponse, 'shouldKeepAlive'>): void {
  outgoing.shouldKeepAlive = false
}

/**
 * Writes a stream to a response, no faster than the client reads it. Cancels the stream when the client leaves. If the
 * stream fails, the connection is closed, so that the client does not take the response for complete.
 */
export async function writeStream(
  stream: ReadableStream<Uint8Array>,
  outgoing: NodeResponse,
  gone: AbortSignal,
): Promise<void> {
  closeAfterwards(outgoing)
  const reader = stream.getReader()
  let resume: () => void = () => undefined
  const leave = (): void => {
    resume()
    reader.cancel().catch(() => undefined)
  }
  if (gone.aborted) return leave()
  gone.addEventListener('abort', leave, { once: true })
  // While the client reads nothing, no further read would tell that the stream has failed.
  reader.closed.catch(() => outgoing.destroy())
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (gone.aborted) return
      if (done) break
      if (outgoing.write(value)) continue
      await new Promise<void>((resolve) => {
        resume = resolve
        outgoing.once('drain', resolve)
      })
    }
    outgoing.end()
  } catch {
    outgoing.destroy()
  }
}
