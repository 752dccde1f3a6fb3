import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import type { Connection, Misbehaviour } from './misbehaviour.ts'

export interface HostileServer {
  readonly port: number
  /** Every request as received. */
  readonly requests: readonly string[]
  /** How many connections this server has accepted since its start. */
  connections(): number
  /** How many connections are open now. */
  open(): number
  /** Resolves once at most this many connections are open. */
  openAtMost(count: number): Promise<void>
  stop(): Promise<void>
}

/** Starts a real server on loopback that does one thing wrong. */
export async function startHostileServer(
  { act, from = 'request' }: Pick<Misbehaviour, 'act' | 'from'>,
  secure: TlsOptions,
): Promise<HostileServer> {
  const requests: string[] = []
  const sockets = new Map<string, Socket>()
  let waiting: { readonly count: number; readonly end: () => void }[] = []
  let nth = 0
  let connections = 0

  const connectionOf = (socket: Socket, peer: string): Connection => {
    const bare = sockets.get(peer) ?? socket
    return { socket, bare, nth: ++nth, reset: () => void bare.resetAndDestroy() }
  }
  const server: Server = from === 'tcp' ? createTcpServer() : createTlsServer({ ...secure, handshakeTimeout: 60_000 })
  server.on('connection', (bare: Socket) => {
    const peer = String(bare.remotePort)
    connections += 1
    sockets.set(peer, bare)
    bare.on('error', () => undefined)
    bare.once('close', () => {
      sockets.delete(peer)
      for (const { end } of waiting.filter(({ count }) => sockets.size <= count)) end()
      waiting = waiting.filter(({ count }) => sockets.size > count)
    })
    if (from !== 'tcp') return
    act(connectionOf(bare, peer))
    bare.resume()
  })
  server.on('tlsClientError', () => undefined)
  server.on('secureConnection', (socket: Socket) => {
    const peer = String(socket.remotePort)
    socket.on('error', () => undefined)
    if (from === 'tls') {
      act(connectionOf(socket, peer))
      socket.resume()
      return
    }
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
      const [, head = '', length = '0'] = /^(.*?content-length: (\d+).*?\r\n\r\n)/is.exec(text) ?? []
      const end = head.length + Number(length)
      if (head === '' || text.length < end) return
      requests.push(text.slice(0, end))
      text = text.slice(end)
      act(connectionOf(socket, peer))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    openAtMost: (count) =>
      sockets.size <= count ? Promise.resolve() : new Promise((end) => waiting.push({ count, end })),
    async stop() {
      for (const socket of sockets.values()) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
