import { assertSupportedRuntime, CANARY_HOST, openCanaryListener, pinningUnsupported } from './canary-listener.ts'
import { createHttpsTransport, type HttpsTransportOptions } from './https-transport.ts'
import type { Transport } from './transport.ts'

const DEADLINE_MS = 3_000

export interface ProvePinningOptions {
  /** Creates the transport to check, with the given resolver, policy and deadline. Default `createHttpsTransport`. */
  readonly createTransport?:
    | ((options: Pick<HttpsTransportOptions, 'addressPolicy' | 'deadlineMs' | 'resolve'>) => Transport)
    | undefined
}

/**
 * Checks, when a worker starts, that this runtime connects only to addresses that the resolver returned and the policy
 * allows. Old versions of Bun ignore the resolver and look up the name themselves, so a customer's host name could lead
 * into a private network. The check takes a few milliseconds and needs only a listener on loopback.
 *
 * @throws CallboardError `PINNING_UNSUPPORTED`, saying what failed. In that case, do not start a worker.
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
    if (!pinned.asked.includes(CANARY_HOST)) throw pinningUnsupported('the transport did not call its resolver')
    if (!pinned.connected)
      throw pinningUnsupported(`the transport did not connect to the resolved address (${pinned.result})`)
    // The resolver now answers `::1`, but the listener is on 127.0.0.1 only. A connection to the listener therefore
    // means that the runtime did not use the resolver's answer.
    const elsewhere = await attempt(['::1'], ['::1/128'])
    if (elsewhere.connected) throw pinningUnsupported('the transport connected to an address that was not resolved')
    const refused = await attempt(['127.0.0.1'], [])
    if (refused.connected || refused.result !== 'blocked')
      throw pinningUnsupported('the transport did not block an address outside the policy')
    const mixed = await attempt(['127.0.0.1', '10.0.0.1'], ['127.0.0.1/32'])
    if (mixed.connected || mixed.result !== 'blocked')
      throw pinningUnsupported('the transport did not block an answer with one address outside the policy')
  } finally {
    await listener.close()
  }
}

interface Observation {
  readonly asked: readonly string[]
  readonly connected: boolean
  readonly result: string
}
