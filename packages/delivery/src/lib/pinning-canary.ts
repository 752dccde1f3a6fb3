import { createServer } from 'node:net'
import { CallboardError } from '@callboard/core'
import { createHttpsTransport, type HttpsTransportOptions } from './https-transport.ts'
import type { Transport } from './transport.ts'

/** A name that no resolver knows (RFC 6761): a runtime that looks it up by itself gets nowhere. */
const CANARY_HOST = 'canary.invalid'
const DEADLINE_MS = 3_000

export interface ProvePinningOptions {
  /** Makes the transport to prove, with the given look-up, policy and deadline. Default `createHttpsTransport`. */
  readonly createTransport?:
    | ((options: Pick<HttpsTransportOptions, 'addressPolicy' | 'deadlineMs' | 'resolve'>) => Transport)
    | undefined
}

/**
 * Proves, at worker start, that on this runtime an attempt goes where the judged look-up says and nowhere else: the
 * look-up is asked, its answer is connected to, and a refused answer, or one refused address among good ones, makes no
 * connection. Old versions of Bun ignore the look-up, and would let strangers' names reach private networks. Only a
 * listener on loopback is involved; some milliseconds when all is well.
 *
 * @throws CallboardError `PINNING_UNSUPPORTED` saying which of these failed. Do not start a worker then.
 */
export async function provePinning({
  createTransport = createHttpsTransport,
}: ProvePinningOptions = {}): Promise<void> {
  let connections = 0
  const listener = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
    // The first bytes of the TLS handshake are enough: they came to the pinned address.
    socket.once('data', () => socket.destroy())
  })
  const port = await new Promise<number>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  }).catch((cause: unknown) => {
    throw unsupported('no listener could be opened on 127.0.0.1', cause)
  })

  const attempt = async (answer: readonly string[], allowedCidrs: readonly string[]): Promise<Observation> => {
    const asked: string[] = []
    const before = connections
    const transport = createTransport({
      addressPolicy: { allowedCidrs, allowedHostNames: [CANARY_HOST], allowedPorts: [port] },
      deadlineMs: DEADLINE_MS,
      resolve: async (hostname) => {
        asked.push(hostname)
        return answer
      },
    })
    try {
      const outcome = await transport.send({
        url: `https://${CANARY_HOST}:${port}/`,
        headers: {},
        body: new Uint8Array(),
      })
      return {
        asked,
        connected: connections > before,
        result: outcome.kind === 'failed' ? outcome.reason : outcome.kind,
      }
    } finally {
      await transport.close()
    }
  }

  try {
    const pinned = await attempt(['127.0.0.1'], ['127.0.0.1/32'])
    if (!pinned.asked.includes(CANARY_HOST)) throw unsupported('the look-up it was given was not asked')
    if (!pinned.connected) throw unsupported(`the connection did not go where the look-up said (${pinned.result})`)
    const refused = await attempt(['127.0.0.1'], [])
    if (refused.connected || refused.result !== 'blocked') throw unsupported('a refused address was not refused')
    const mixed = await attempt(['127.0.0.1', '10.0.0.1'], ['127.0.0.1/32'])
    if (mixed.connected || mixed.result !== 'blocked')
      throw unsupported('an answer with one refused address was not refused')
  } finally {
    await new Promise((resolve) => listener.close(resolve))
  }
}

interface Observation {
  readonly asked: readonly string[]
  readonly connected: boolean
  readonly result: string
}

const unsupported = (why: string, cause?: unknown): CallboardError =>
  new CallboardError(
    'PINNING_UNSUPPORTED',
    `Deliveries cannot be pinned to judged addresses on this runtime: ${why}.`,
    { cause },
  )
