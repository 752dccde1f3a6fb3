import { createServer, type TLSSocket } from 'node:tls'
import { answer, machineMs } from './helper.ts'

export interface SinkOptions {
  /** Milliseconds before each answer; 0 by default. */
  readonly delayMs?: number | undefined
  /** Whether to keep the time of each arrival; false by default. */
  readonly stamp?: boolean | undefined
}

/** The `webhook-id`, and when the request was complete, in milliseconds of the machine's monotonic clock. */
export type Arrival = readonly [id: string, at: number]

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok')
const HEAD_END = Buffer.from('\r\n\r\n')

let count = 0
let arrivals: Arrival[] = []
let awaited = Number.POSITIVE_INFINITY
let reached: (at: number) => void = () => undefined

/**
 * Parses only enough HTTP to find the end of a request, because on two cores a full HTTP server would dominate the
 * figures.
 */
function serve(socket: TLSSocket, { delayMs = 0, stamp = false }: SinkOptions): void {
  let kept: Buffer = Buffer.alloc(0)
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
    for (;;) {
      const head = kept.indexOf(HEAD_END)
      if (head < 0) return
      const text = kept.toString('latin1', 0, head)
      const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? '0'
      const end = head + HEAD_END.length + Number(length)
      if (kept.length < end) return
      kept = kept.subarray(end)
      if (stamp) arrivals.push([/\r\nwebhook-id: *(\S+)/i.exec(text)?.[1] ?? '', machineMs()])
      if (++count === awaited) reached(machineMs())
      if (delayMs === 0) socket.write(ANSWER)
      else setTimeout(() => socket.write(ANSWER), delayMs)
    }
  })
}

const replies = {
  listen({ key, cert, ...options }: SinkOptions & { readonly key: string; readonly cert: string }): Promise<number> {
    return new Promise((resolve) => {
      const server = createServer({ key, cert }, (socket) => serve(socket, options))
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        if (typeof address === 'object' && address !== null) resolve(address.port)
      })
    })
  },
  until(wanted: number): Promise<number> {
    awaited = wanted
    return new Promise((resolve) => {
      reached = resolve
      if (count >= wanted) resolve(machineMs())
    })
  },
  arrivals(): readonly Arrival[] {
    const taken = arrivals
    arrivals = []
    return taken
  },
}
export type SinkReplies = typeof replies

answer(replies)
