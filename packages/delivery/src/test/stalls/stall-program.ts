// Sends one request with a short deadline and one with a short lease, on whichever runtime runs this program, and
// prints the outcomes.
import { createHttpsTransport } from '../../lib/http/https-transport.ts'
import type { TransportOutcome } from '../../lib/http/transport.ts'

export interface StallPlan {
  readonly ca: string
  readonly url: string
  /** The length, in milliseconds, of one request's deadline and of the other request's lease. */
  readonly shortMs: number
}

export interface StallReport {
  readonly deadline: TransportOutcome
  readonly lease: TransportOutcome
}

const { ca, url, shortMs }: StallPlan = JSON.parse(process.argv[2] ?? '')
const LONG_MS = 30_000

const send = async (deadlineMs: number, leaseMs: number): Promise<TransportOutcome> => {
  const transport = createHttpsTransport({
    addressPolicy: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    extraCaCertificates: [ca],
    resolve: async () => ['127.0.0.1'],
    deadlineMs,
    connectTimeoutMs: LONG_MS,
  })
  const leaseEnd = performance.now() + leaseMs
  const leaseLeftMs = (): number => leaseEnd - performance.now()
  const outcome = await transport.send({ url, headers: {}, body: new TextEncoder().encode('{}'), leaseLeftMs })
  await transport.close()
  return outcome
}

const [deadline, lease] = await Promise.all([send(shortMs, 2 * LONG_MS), send(LONG_MS, shortMs)])
process.stdout.write(JSON.stringify({ deadline, lease } satisfies StallReport))
