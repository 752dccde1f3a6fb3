/** A request that the router keeps open until there are events. */
export interface OpenRequest {
  /** Aborts when the request is to end: its client has left, or the server is closing. */
  readonly signal: AbortSignal
  /** Aborts the signal, and forgets the request. */
  end(): void
}

/** How requests are kept open. */
export interface Opening {
  /** The longest time that a request stays open, in milliseconds. */
  readonly maxOpenMs: number
  keepOpen(request: Pick<Request, 'signal'>): OpenRequest
}

/** @param closing ends all open requests when it aborts. */
export function createOpening(maxOpenMs: number, closing: AbortSignal | undefined): Opening {
  const open = new Set<() => void>()
  closing?.addEventListener('abort', () => {
    for (const end of open) end()
  })
  return {
    maxOpenMs,
    keepOpen({ signal }) {
      const controller = new AbortController()
      const end = (): void => {
        open.delete(end)
        signal.removeEventListener('abort', end)
        controller.abort()
      }
      open.add(end)
      signal.addEventListener('abort', end)
      if (signal.aborted || closing?.aborted === true) end()
      return { signal: controller.signal, end }
    },
  }
}
