import { connect, createServer, type Server, type Socket } from 'node:net'

/** Whose bytes: those that the client sends, or those that the server does. */
export type ProxySide = 'client' | 'server'

/** A TCP line between a client and a server, whose trouble a test decides. It starts out passing everything. */
export interface FaultProxy {
  readonly port: number
  /** The same URL, by way of the proxy. */
  through(url: string): string
  /** Ends every trouble. Connections that went silent are reset: their ends have lost each other. */
  pass(): Promise<void>
  /** What the client sends arrives this much later, in its order: a slow server, as its client sees it. */
  delay(ms: number): void
  /** The connections there are go silent for ever, both ways and without a FIN; new ones pass. */
  strand(): void
  /** As `strand`, and new connections are accepted and silent as well. */
  swallow(): void
  /** Resets the connections there are. */
  reset(): void
  /** Resets the connections there are and refuses new ones. */
  refuse(): Promise<void>
  /**
   * Resets the first connection on which this side sends bytes that match, which the other side never gets. Resolves when
   * it has happened.
   */
  cutWhen(side: ProxySide, matches: (bytes: Buffer) => boolean): Promise<void>
  /** Resets the next connection to send anything on this side, once so many more bytes of that side got through. */
  cutAfter(side: ProxySide, bytes: number): Promise<void>
  /** Connections open at this moment. */
  readonly connections: number
  /** Connections accepted so far. */
  readonly accepted: number
  stop(): Promise<void>
}

interface Line {
  readonly near: Socket
  readonly far: Socket
  silent: boolean
}

interface Cut {
  readonly side: ProxySide
  /** How much of the bytes still goes through before the cut; undefined: all of them, and no cut. */
  readonly keeps: (bytes: Buffer, line: Line) => number | undefined
  readonly end: () => void
}

/** Starts a proxy on 127.0.0.1 to the host and port of a URL. */
export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  const { hostname, port: target } = new URL(upstream)
  const lines = new Set<Line>()
  let cuts: readonly Cut[] = []
  let delayMs = 0
  let silent = false
  let accepted = 0

  const end = (line: Line): void => {
    lines.delete(line)
    for (const socket of [line.near, line.far]) socket.resetAndDestroy()
  }
  const resetAll = (): void => {
    for (const line of lines) end(line)
  }

  /** Resets the line where a cut falls due; says whether the bytes may go on as they are. */
  const survives = (line: Line, side: ProxySide, bytes: Buffer, to: Socket): boolean => {
    for (const cut of cuts) {
      const kept = cut.side === side ? cut.keeps(bytes, line) : undefined
      if (kept === undefined) continue
      cuts = cuts.filter((other) => other !== cut)
      const finish = (): void => {
        end(line)
        cut.end()
      }
      if (kept > 0) to.write(bytes.subarray(0, kept), finish)
      else finish()
      return false
    }
    return true
  }

  const carry = (line: Line, side: ProxySide): void => {
    const [from, to] = side === 'client' ? [line.near, line.far] : [line.far, line.near]
    let last = Promise.resolve()
    from.on('data', (bytes: Buffer) => {
      if (line.silent || !survives(line, side, bytes, to)) return
      const due = side === 'client' && delayMs > 0 ? new Promise((done) => setTimeout(done, delayMs)) : undefined
      last = last
        .then(() => due)
        .then(() => {
          if (line.silent || to.destroyed) return
          // The faster side waits for the slower.
          if (!to.write(bytes)) from.pause()
        })
    })
    to.on('drain', () => from.resume())
    // In turn with the bytes, or a delayed last word would be cut off. A silent line passes on no FIN either.
    from.on('end', () => void last.then(() => !line.silent && to.end()))
    from.on('error', () => !line.silent && end(line))
    from.on('close', () => void last.then(() => !line.silent && end(line)))
  }

  const server: Server = createServer({ allowHalfOpen: true }, (near) => {
    accepted++
    const far = connect({ port: Number(target), host: hostname, allowHalfOpen: true })
    for (const socket of [near, far]) socket.setNoDelay(true)
    const line: Line = { near, far, silent }
    lines.add(line)
    carry(line, 'client')
    carry(line, 'server')
  })
  const listen = (at: number): Promise<void> =>
    new Promise((done, fail) => {
      server.once('error', fail)
      server.listen(at, '127.0.0.1', done)
    })
  await listen(0)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address

  const strand = (): void => {
    for (const line of lines) line.silent = true
  }
  const refuse = async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done))
    resetAll()
    await closed
  }
  const addCut = (side: ProxySide, keeps: Cut['keeps']): Promise<void> =>
    new Promise((done) => {
      cuts = [...cuts, { side, keeps, end: done }]
    })

  return {
    port,
    through(url) {
      const changed = new URL(url)
      changed.host = `127.0.0.1:${port}`
      return changed.href
    },
    async pass() {
      delayMs = 0
      silent = false
      cuts = []
      for (const line of lines) if (line.silent) end(line)
      if (!server.listening) await listen(port)
    },
    delay(ms) {
      delayMs = ms
    },
    strand,
    swallow() {
      silent = true
      strand()
    },
    reset: resetAll,
    refuse,
    cutWhen: (side, matches) => addCut(side, (bytes) => (matches(bytes) ? 0 : undefined)),
    cutAfter(side, count) {
      let chosen: Line | undefined
      let left = count
      return addCut(side, (bytes, line) => {
        chosen ??= line
        if (line !== chosen) return undefined
        if (bytes.length >= left) return left
        left -= bytes.length
        return undefined
      })
    },
    get connections() {
      return lines.size
    },
    get accepted() {
      return accepted
    },
    async stop() {
      if (server.listening) await refuse()
    },
  }
}
