import { type AddressInfo, createServer, type Socket } from 'node:net'
import { CallboardError } from '@callboard/core'

/**
 * The host name of the target in `provePinning` and `proveTunnelling`. It does not exist in DNS (RFC 6761), so a
 * runtime that ignores the given resolver cannot connect.
 */
export const CANARY_HOST = 'canary.invalid'

export interface CanaryListener {
  readonly port: number
  /** How many connections the listener has received so far. */
  connections(): number
  close(): Promise<void>
}

/**
 * A listener on loopback that counts its connections and calls `answer` with the first bytes that each connection
 * sends.
 */
export async function openCanaryListener(
  answer: (socket: Socket, bytes: Uint8Array) => void = (socket) => socket.destroy(),
): Promise<CanaryListener> {
  let connections = 0
  const listener = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => answer(socket, bytes))
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(0, '127.0.0.1', resolve)
  }).catch((cause: unknown) => {
    throw pinningUnsupported('the check could not listen on 127.0.0.1', cause)
  })
  return {
    port: (listener.address() as AddressInfo).port,
    connections: () => connections,
    close: () => new Promise((resolve) => listener.close(() => resolve())),
  }
}

/**
 * Throws on Bun before 1.4. Bun 1.1 accepts certificates for other host names and never calls `checkServerIdentity`
 * (measured), so `verifiedTls` would refuse every connection.
 *
 * @throws CallboardError `PINNING_UNSUPPORTED`
 */
export function assertSupportedRuntime(bun: string | undefined = process.versions['bun']): void {
  const [major = 0, minor = 0] = (bun ?? '').split('.').map(Number)
  if (bun !== undefined && (major < 1 || (major === 1 && minor < 4)))
    throw pinningUnsupported(`Bun ${bun} may accept certificates for other host names; use Bun 1.4 or later`)
}

/** The error with which a worker refuses to start on this runtime. */
export function pinningUnsupported(why: string, cause?: unknown): CallboardError {
  return new CallboardError(
    'PINNING_UNSUPPORTED',
    `This runtime may let deliveries reach addresses outside the address policy: ${why}.`,
    { cause },
  )
}
