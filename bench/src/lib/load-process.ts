// A process that publishes at a steady rate or delivers, whichever its parent asks for.
import { createHttpsTransport, startWorker, type Transport } from '@callboard/delivery'
import { accountOf } from './arrange.ts'
import { type BenchCallboard, noteEvent, openBenchCallboard } from './bench-callboard.ts'
import { answer } from './helper.ts'
import { createPace } from './pace.ts'

export type LoadAsk =
  /**
   * Starts a worker on the database with the URL `work`. It delivers over TLS to the sink with the certificate `ca`.
   * Without `ca`, its transport answers at once, without a network.
   */
  | { readonly work: string; readonly ca?: string; readonly lanes?: number }
  | { readonly publish: string; readonly aSecond: number; readonly targets: number }
  | { readonly how: 'goes it' }

/** Counts since the process started. */
export interface LoadCount {
  readonly published: number
  readonly delivered: number
}

/** Events per transaction. */
const AT_ONCE = 20
/** Concurrent transactions. */
const PUBLISHERS = 4

let published = 0
let delivered = 0

async function publish({ callboard }: BenchCallboard, aSecond: number, targets: number): Promise<never> {
  const next = createPace(aSecond / AT_ONCE)
  const publisher = async (): Promise<never> => {
    for (;;) {
      await next()
      const first = published
      published += AT_ONCE
      await callboard.publishMany(
        Array.from({ length: AT_ONCE }, (_, n) => noteEvent(accountOf((first + n) % targets), first + n)),
      )
    }
  }
  return Promise.race(Array.from({ length: PUBLISHERS }, publisher))
}

function transportTo(ca: string | undefined): Transport {
  if (ca === undefined)
    return {
      send: async () => ({ kind: 'response', status: 200, body: 'ok', truncated: false, durationMs: 0 }),
      close() {},
    }
  return createHttpsTransport({
    addressPolicy: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
    extraCaCertificates: [ca],
    resolve: async () => ['127.0.0.1'],
  })
}

function counting(transport: Transport): Transport {
  return {
    ...transport,
    async send(request, signal) {
      const outcome = await transport.send(request, signal)
      if (outcome.kind === 'response') delivered++
      return outcome
    },
  }
}

answer<LoadAsk, LoadCount>(async (ask) => {
  if ('work' in ask) {
    const { callboard } = openBenchCallboard(ask.work)
    await startWorker(callboard, { lanes: ask.lanes, transport: counting(transportTo(ask.ca)) })
  }
  if ('publish' in ask) void publish(openBenchCallboard(ask.publish), ask.aSecond, ask.targets)
  return { published, delivered }
})
