import { connect, createServer, type Server, type Socket } from 'node:net'

/** The side that sends the bytes. */
export type ProxySide = 'client' | 'server'

/** A TCP proxy between a client and a server, with faults that a test controls. Initially, it passes on all bytes. */
export interface FaultProxy {
  readonly port: number
  /** The same URL, through the proxy. */
  through(url: string): string
  /** Ends all faults. Connections that were silenced are reset, because they have lost bytes. */
  pass(): Promise<void>
  /** Makes the server appear slow: delays all bytes from the client by `ms` milliseconds and keeps their order. */
  delay(ms: number): void
  /** Silences the existing connections for ever, in both directions and without a FIN. New connections work. */
  strand(): void
  /** Like `strand`, but new connections are accepted and silent as well. */
  swallow(): void
  /** Resets the existing connections. */
  reset(): void
  /** Resets the existing connections and refuses new ones. */
  refuse(): Promise<void>
  /**
   * Resets the first connection on which `side` sends matching bytes, before the other side receives any of them.
   * Resolves once the connection is reset.
   */
  cutWhen(side: ProxySide, matches: (bytes: Buffer) => boolean): Promise<void>
  /** Resets the next connection on which `side` sends anything, after passing on the first `bytes` bytes. */
  cutAfter(side: ProxySide, bytes: number): Promise<void>
  /** Connects new clients to the host and port of another URL. The existing connections stay. */
  lead(upstream: string): void
  /** How many connections are open now. */
  readonly connections: number
  /** How many connections have been accepted so far. */
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
  /** Returns how many of these bytes to pass on before the cut; undefined to pass on all bytes without a cut. */
  readonly keeps: (bytes: Buffer, line: Line) => number | undefined
  readonly end: () => void
}

/** Starts a proxy on 127.0.0.1 to the host and port of a URL. */
export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  let leadsTo = new URL(upstream)
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

  /** Resets both sides of the connection if a cut is due. Returns whether to pass the bytes on unchanged. */
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
          // If one side sends faster than the other reads, the proxy pauses reading from the sending side.
          if (!to.write(bytes)) from.pause()
        })
    })
    to.on('drain', () => from.resume())
    // The FIN follows all earlier bytes, even if they are delayed. A silenced connection does not pass it on.
    from.on('end', () => void last.then(() => !line.silent && to.end()))
    from.on('error', () => !line.silent && end(line))
    from.on('close', () => void last.then(() => !line.silent && end(line)))
  }

  const server: Server = createServer({ allowHalfOpen: true }, (near) => {
    accepted++
    const far = connect({ port: Number(leadsTo.port), host: leadsTo.hostname, allowHalfOpen: true })
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
    lead(to) {
      leadsTo = new URL(to)
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
