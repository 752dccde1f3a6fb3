// Sends to one target repeatedly, on whichever runtime runs this program, and reports its memory use.
// The authority to trust is in NODE_EXTRA_CA_CERTS, because Deno reads `extraCaCertificates` again for each connection.
import { createHttpsTransport } from '../../lib/http/https-transport.ts'

export interface MemoryPlan {
  readonly url: string
  readonly attempts: number
  readonly atOnce: number
}

export interface MemoryReport {
  /** How many times each status or reason occurred. */
  readonly outcomes: Readonly<Record<string, number>>
  /** The resident set in MiB, sampled evenly over the whole run, in order. */
  readonly samples: readonly number[]
}

const SAMPLES = 60
const MIB = 1_048_576

async function main({ url, attempts, atOnce }: MemoryPlan): Promise<MemoryReport> {
  const transport = createHttpsTransport({
    addressPolicy: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    resolve: async () => ['127.0.0.1'],
    deadlineMs: 30_000,
    connectTimeoutMs: 30_000,
  })
  const body = new TextEncoder().encode('{"id":"evt_1"}')
  const outcomes: Record<string, number> = {}
  const samples: number[] = []
  let started = 0
  let ended = 0
  const send = async (): Promise<void> => {
    while (started < attempts) {
      started += 1
      const outcome = await transport.send({ url, headers: { 'content-type': 'application/json' }, body })
      const name = outcome.kind === 'response' ? String(outcome.status) : outcome.reason
      outcomes[name] = (outcomes[name] ?? 0) + 1
      ended += 1
      if (ended % Math.ceil(attempts / SAMPLES) === 0) samples.push(Math.round(process.memoryUsage().rss / MIB))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, send))
  await transport.close()
  return { outcomes, samples }
}

process.stdin.setEncoding('utf8').once('data', async (plan: string) => {
  process.stdout.write(JSON.stringify(await main(JSON.parse(plan))))
})
