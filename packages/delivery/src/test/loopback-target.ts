import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { AddressPolicy } from '@callboard/core'
import { generate } from 'selfsigned'

/** The name in the certificate. No name server knows it, so tests resolve it themselves. */
export const TARGET_HOST = 'target.test'

/** An address policy that allows deliveries to this machine, by name and by address. */
export const LOOPBACK_POLICY: AddressPolicy = { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' }

export interface Received {
  readonly url: string
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** Answers one request, or misbehaves on the request's socket. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

export interface LoopbackTarget {
  readonly url: string
  readonly port: number
  /** The certificate to trust. */
  readonly ca: string
  readonly received: readonly Received[]
  /** How many TLS connections this server has accepted since its start. */
  connections(): number
  /** Resolves when every connection of the target is closed. */
  idle(): Promise<void>
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

/** Starts a real HTTPS server on loopback with its own certificate. */
export async function createLoopbackTarget(): Promise<LoopbackTarget> {
  const altNames = [
    { type: 2 as const, value: TARGET_HOST },
    { type: 7 as const, ip: '127.0.0.1' },
  ]
  const pems = await generate([{ name: 'commonName', value: TARGET_HOST }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let waiting: (() => void)[] = []
  let connections = 0
  let behaviour: Behaviour = (_request, response) => response.end('ok')

  const server = createHttpsServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('error', () => undefined)
    request.on('end', () => {
      received.push({ url: request.url ?? '', rawHeaders: request.rawHeaders, body })
      behaviour(request, response)
    })
  })
  server.on('secureConnection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size > 0) return
      for (const wake of waiting) wake()
      waiting = []
    })
  })
  const port = await listen(server)

  return {
    url: `https://${TARGET_HOST}:${port}/hook?a=1`,
    port,
    ca: pems.cert,
    received,
    connections: () => connections,
    idle: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    behave: (next) => {
      behaviour = next
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Starts a TCP server that accepts connections and never sends anything. */
export async function createSilentListener(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  const port = await listen(server)
  return {
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
