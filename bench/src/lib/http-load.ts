import { connect, type Socket } from 'node:net'
import { quantile } from './rounds.ts'

/** The request that one connection repeats. */
export interface Asked {
  readonly path: string
  readonly token?: string | undefined
}

export interface LoadOptions {
  /**
   * Keeps this process busy while it waits for responses; false by default. Otherwise slow servers appear even slower,
   * because waking a sleeping core of a virtual machine costs as much as a request. Set this only if the server has a
   * core to itself.
   */
  readonly awake?: boolean | undefined
}

export interface Loaded {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p99: number
}

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Keeps one request in flight on each connection for `ms` milliseconds. Replaces autocannon, which would use more CPU
 * time than the server under test, because it parses responses in JavaScript.
 */
export async function loadHttp(
  port: number,
  connections: readonly Asked[],
  ms: number,
  { awake = false }: LoadOptions = {},
): Promise<Loaded> {
  const latencies: number[] = []
  const start = performance.now()
  const stayAwake = (): void => {
    if (performance.now() < start + ms) setImmediate(stayAwake)
  }
  if (awake) stayAwake()
  await Promise.all(connections.map((asked) => keepAsking(port, asked, start + ms, latencies)))
  const seconds = (performance.now() - start) / 1000
  return { perSecond: latencies.length / seconds, p99: quantile(latencies, 0.99) }
}

function keepAsking(port: number, { path, token }: Asked, until: number, latencies: number[]): Promise<void> {
  const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${authorization}\r\n`)
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let asked = 0
    const ask = (): void => {
      asked = performance.now()
      socket.write(request)
    }
    socket.on('error', reject)
    socket.on('connect', ask)
    onResponses(socket, (head) => {
      if (!head.startsWith('HTTP/1.1 200 ')) return socket.destroy(new Error(`unexpected response: ${head}`))
      const now = performance.now()
      latencies.push(now - asked)
      if (now < until) return ask()
      socket.end(resolve)
    })
  })
}

/** Parses only enough HTTP to find the end of a response. */
function onResponses(socket: Socket, answered: (head: string) => void): void {
  let kept: Buffer = Buffer.alloc(0)
  let head = ''
  let missing = 0
  socket.on('data', (chunk: Buffer) => {
    if (missing === 0) {
      kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
      const end = kept.indexOf(HEAD_END)
      if (end === -1) return
      head = kept.toString('latin1', 0, end)
      missing = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]) + end + HEAD_END.length - kept.length
      kept = Buffer.alloc(0)
    } else {
      missing -= chunk.length
    }
    if (missing === 0) answered(head)
    else if (!(missing > 0)) socket.destroy(new Error('a response without a content-length'))
  })
}
