import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { makeCertificate } from './test-certificate.ts'

/** One CONNECT request. */
export interface ProxyRequest {
  /** The requested `host:port`. */
  readonly authority: string
  readonly headers: IncomingHttpHeaders
}

/** How to answer a CONNECT: with a tunnel to a port of 127.0.0.1, or by calling a function with the socket. */
export type ProxyBehaviour = number | ((socket: Duplex, request: ProxyRequest) => void)

export interface TestProxy {
  /** `http://127.0.0.1:port`, or `https:`. */
  readonly url: string
  /** The proxy's certificate, if it has one. */
  readonly ca: string
  /** Every CONNECT, in order. */
  readonly log: readonly ProxyRequest[]
  /**
   * Sets the behaviour from now on. By default, or with `undefined`, the proxy opens a tunnel to the requested port.
   */
  behave(behaviour?: ProxyBehaviour): void
  /** How many connections there have been so far. */
  connections(): number
  /** Resolves when no connection is open. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** Starts a real CONNECT proxy on 127.0.0.1, which resolves every name to this machine. */
export async function startProxy({ tls = false }: { readonly tls?: boolean | undefined } = {}): Promise<TestProxy> {
  const log: ProxyRequest[] = []
  const sockets = new Set<Duplex>()
  let waiting: (() => void)[] = []
  let behaviour: ProxyBehaviour | undefined
  let connections = 0

  const keep = <S extends Duplex>(socket: S): S => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size > 0) return
      for (const wake of waiting) wake()
      waiting = []
    })
    return socket
  }
  const tunnel = (socket: Duplex, port: number): void => {
    const onward: Socket = keep(connect(port, '127.0.0.1'))
    onward.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.once('close', () => socket.destroy())
    socket.once('close', () => onward.destroy())
  }

  const pems = tls ? await makeCertificate() : { private: '', cert: '' }
  const server = tls ? createTlsServer({ key: pems.private, cert: pems.cert }) : createServer()
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const asked = { authority: request.url ?? '', headers: request.headers }
    log.push(asked)
    // Node's HTTP server does not read the socket of a CONNECT, and leaves it half open when the other end closes.
    if (typeof behaviour === 'function')
      behaviour(
        socket.resume().once('end', () => socket.end()),
        asked,
      )
    else tunnel(socket, behaviour ?? Number(asked.authority.split(':').at(-1)))
  })
  server.on('connection', () => connections++)
  server.on(tls ? 'secureConnection' : 'connection', keep)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: pems.cert,
    log,
    behave(next) {
      behaviour = next
    },
    connections: () => connections,
    idle: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
