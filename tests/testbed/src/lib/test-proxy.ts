import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { makeCertificate } from './test-certificate.ts'

/** One CONNECT as it came. */
export interface ProxyRequest {
  /** What it asks for, `host:port`. */
  readonly authority: string
  readonly headers: IncomingHttpHeaders
}

/** What becomes of a CONNECT: a tunnel to a port of 127.0.0.1, or whatever is done with the socket. */
export type ProxyBehaviour = number | ((socket: Duplex, request: ProxyRequest) => void)

export interface TestProxy {
  /** `http://127.0.0.1:port`, or `https:`. */
  readonly url: string
  /** Of the proxy's own certificate, when it has one. */
  readonly ca: string
  /** Every CONNECT, in order. */
  readonly log: readonly ProxyRequest[]
  /** What all that follow get; at first, and with `undefined`, a tunnel to the port that was asked for. */
  behave(behaviour?: ProxyBehaviour): void
  /** Connections so far. */
  connections(): number
  /** Resolves when none is. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** A real CONNECT proxy on 127.0.0.1, which takes every name to be this machine. */
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
    // An HTTP server leaves a socket of a CONNECT unread and half open when the other end leaves.
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
