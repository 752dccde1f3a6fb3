import { assertSupportedRuntime, CANARY_HOST, openCanaryListener, pinningUnsupported } from './canary-listener.ts'
import { createHttpsTransport, type HttpsTransportOptions } from './https-transport.ts'
import type { Transport } from './transport.ts'

const DEADLINE_MS = 3_000

export interface ProveTunnellingOptions {
  /** Creates the transport to check, with the given proxy, policy and resolver. Default `createHttpsTransport`. */
  readonly createTransport?:
    | ((options: Pick<HttpsTransportOptions, 'addressPolicy' | 'deadlineMs' | 'egressProxy' | 'resolve'>) => Transport)
    | undefined
}

/**
 * Checks, when a worker with an egress proxy starts, that this runtime sends requests only through the proxy, whether
 * the target is a name or an address. The check needs two listeners on loopback, one of which acts as the proxy.
 *
 * @throws CallboardError `PINNING_UNSUPPORTED` if the check fails. In that case, do not start a worker.
 */
export async function proveTunnelling({
  createTransport = createHttpsTransport,
}: ProveTunnellingOptions = {}): Promise<void> {
  assertSupportedRuntime()
  const asked: string[] = []
  const proxy = await openCanaryListener((socket, bytes) => {
    asked.push(Buffer.from(bytes).toString('latin1').split(' HTTP/')[0] ?? '')
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
  })
  const target = await openCanaryListener()
  const transport = createTransport({
    addressPolicy: {
      allowedCidrs: ['127.0.0.1/32'],
      allowedHostNames: [CANARY_HOST],
      allowedPorts: [target.port],
    },
    deadlineMs: DEADLINE_MS,
    egressProxy: { url: `http://127.0.0.1:${proxy.port}` },
    resolve: async () => ['127.0.0.1'],
  })
  try {
    for (const authority of [`${CANARY_HOST}:${target.port}`, `127.0.0.1:${target.port}`]) {
      const request = { url: `https://${authority}/`, headers: {}, body: new Uint8Array() }
      const outcome = await transport.send(request)
      if (target.connections() > 0) throw pinningUnsupported('a request bypassed the egress proxy')
      if (asked.pop() !== `CONNECT ${authority}`) throw pinningUnsupported('a request did not reach the egress proxy')
      if (outcome.kind !== 'failed' || outcome.reason !== 'blocked')
        throw pinningUnsupported(
          'the egress proxy refused a target, but the attempt did not fail with the reason blocked',
        )
    }
  } finally {
    await transport.close()
    await Promise.all([proxy.close(), target.close()])
  }
}
