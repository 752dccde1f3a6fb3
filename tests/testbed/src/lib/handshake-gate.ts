import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to a TLS server on this machine, which can hold connections at the start of their handshakes. */
export interface HandshakeGate {
  readonly port: number
  /** Resolves once the gate holds the first handshake bytes of `count` clients. */
  holds(count: number): Promise<void>
  /**
   * Passes on everything from now on. Resolves once the server's first bytes have been sent to each client that was
   * held.
   */
  open(): Promise<void>
  stop(): Promise<void>
}

/** Starts a gate in front of a port of 127.0.0.1. The gate is closed at first. */
export async function startHandshakeGate(target: number): Promise<HandshakeGate> {
  const sockets = new Set<Socket>()
  let held: (() => Promise<void>)[] = []
  let waiting: { readonly count: number; readonly end: () => void }[] = []
  let isOpen = false

  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  }
  /** Connects a client to the server, and resolves once the client has been sent the server's first bytes. */
  const passOn = (near: Socket, hello: Buffer): Promise<void> =>
    new Promise((answered) => {
      const far = keep(connect(target, '127.0.0.1'))
      far.write(hello)
      far.once('data', (bytes) => {
        near.write(bytes, () => answered())
        far.pipe(near)
      })
      near.pipe(far)
      near.once('close', () => far.destroy())
      far.once('close', () => near.destroy())
    })

  const server = createServer((near) => {
    keep(near).once('data', (hello: Buffer) => {
      near.pause()
      if (isOpen) void passOn(near, hello)
      else held.push(() => passOn(near, hello))
      for (const { count, end } of waiting) if (held.length >= count) end()
      waiting = waiting.filter(({ count }) => held.length < count)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    holds: (count) => (held.length >= count ? Promise.resolve() : new Promise((end) => waiting.push({ count, end }))),
    async open() {
      isOpen = true
      const all = held
      held = []
      await Promise.all(all.map((pass) => pass()))
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
