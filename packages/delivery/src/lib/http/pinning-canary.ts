import type { Transport } from '../transport.ts'
import { assertSupportedRuntime, CANARY_HOST, openCanaryListener, pinningUnsupported } from './canary-listener.ts'
import { createHttpsTransport, type HttpsTransportOptions } from './https-transport.ts'

const DEADLINE_MS = 3_000

export interface ProvePinningOptions {
  /** Makes the transport to prove, with the given look-up, policy and deadline. Default `createHttpsTransport`. */
  readonly createTransport?:
    | ((options: Pick<HttpsTransportOptions, 'addressPolicy' | 'deadlineMs' | 'resolve'>) => Transport)
    | undefined
}

/**
 * Proves, at worker start, that on this runtime an attempt goes where the judged look-up says and nowhere else. The
 * look-up must be asked, and only its answer connected to. A refused answer, or one refused address among good ones,
 * must make no connection. Old versions of Bun ignore the look-up and would let strangers' names reach private networks.
 * It needs only a listener on loopback, and takes a few milliseconds when all is well.
 *
 * @throws CallboardError `PINNING_UNSUPPORTED` saying which of these failed. Do not start a worker then.
 */
export async function provePinning({
  createTransport = createHttpsTransport,
}: ProvePinningOptions = {}): Promise<void> {
  assertSupportedRuntime()
  const listener = await openCanaryListener()
  const { port } = listener

  const attempt = async (answer: readonly string[], allowedCidrs: readonly string[]): Promise<Observation> => {
    const asked: string[] = []
    const before = listener.connections()
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
        connected: listener.connections() > before,
        result: outcome.kind === 'failed' ? outcome.reason : outcome.kind,
      }
    } finally {
      await transport.close()
    }
  }

  try {
    const pinned = await attempt(['127.0.0.1'], ['127.0.0.1/32'])
    if (!pinned.asked.includes(CANARY_HOST)) throw pinningUnsupported('the look-up it was given was not asked')
    if (!pinned.connected)
      throw pinningUnsupported(`the connection did not go where the look-up said (${pinned.result})`)
    // This catches a runtime that connects by the name, whose own look-up may well lead here.
    const elsewhere = await attempt(['::1'], ['::1/128'])
    if (elsewhere.connected) throw pinningUnsupported('the connection went where the look-up did not say')
    const refused = await attempt(['127.0.0.1'], [])
    if (refused.connected || refused.result !== 'blocked') throw pinningUnsupported('a refused address was not refused')
    const mixed = await attempt(['127.0.0.1', '10.0.0.1'], ['127.0.0.1/32'])
    if (mixed.connected || mixed.result !== 'blocked')
      throw pinningUnsupported('an answer with one refused address was not refused')
  } finally {
    await listener.close()
  }
}

interface Observation {
  readonly asked: readonly string[]
  readonly connected: boolean
  readonly result: string
}
