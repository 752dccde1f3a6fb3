import { createServer, type TLSSocket } from 'node:tls'
import { machineMs } from './helper.ts'

/** The message that starts a sink. */
export interface SinkOrder {
  readonly key: string
  readonly cert: string
  /** Milliseconds before each answer. */
  readonly delayMs: number
  /** Whether to keep the `webhook-id` and time of each arrival. */
  readonly stamp: boolean
}

export type SinkNews =
  | { readonly kind: 'listening'; readonly port: number }
  /**
   * Sent once the awaited number of requests has arrived. `at` is in milliseconds, and can be compared only with other
   * times of this sink.
   */
  | { readonly kind: 'reached'; readonly count: number; readonly at: number }
  | { readonly kind: 'arrivals'; readonly arrivals: readonly Arrival[] }

/** The `webhook-id`, and when the request was complete, in milliseconds of the machine's monotonic clock. */
export type Arrival = readonly [id: string, at: number]

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok')
const HEAD_END = Buffer.from('\r\n\r\n')

let count = 0
let arrivals: Arrival[] = []
let awaited = Number.POSITIVE_INFINITY

const tell = (news: SinkNews): void => void process.send?.(news)

/**
 * Parses only enough HTTP to find the end of a request, because on two cores a full HTTP server would dominate the
 * figures.
 */
function serve(socket: TLSSocket, { delayMs, stamp }: SinkOrder): void {
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
      if (++count === awaited) tell({ kind: 'reached', count, at: performance.timeOrigin + performance.now() })
      if (delayMs === 0) socket.write(ANSWER)
      else setTimeout(() => socket.write(ANSWER), delayMs)
    }
  })
}

process.on('message', (order: SinkOrder | { readonly until: number } | 'arrivals') => {
  if (order === 'arrivals') {
    tell({ kind: 'arrivals', arrivals })
    arrivals = []
    return
  }
  if ('until' in order) {
    awaited = order.until
    if (count >= awaited) tell({ kind: 'reached', count, at: performance.timeOrigin + performance.now() })
    return
  }
  const server = createServer({ key: order.key, cert: order.cert }, (socket) => serve(socket, order))
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) tell({ kind: 'listening', port: address.port })
  })
})
process.on('disconnect', () => process.exit())
