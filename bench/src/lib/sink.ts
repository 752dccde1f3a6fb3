import { makeCertificate } from '@callboard/testbed'
import { startHelper } from './helper.ts'
import type { Arrival, SinkOptions, SinkReplies } from './sink-process.ts'

const DOMAIN = 'bench.test'

/** A receiver in a process of its own, over TLS with keep-alive. */
export interface Sink {
  readonly pid: number
  /** PEM of the certificate to trust. */
  readonly ca: string
  /** The URL of one target. Each target has a host name of its own. */
  url(target: number): string
  /**
   * Once `count` requests have arrived since the sink started, resolves to the time of the last of them, in
   * milliseconds of the machine's monotonic clock. Await one count at a time.
   */
  until(count: number): Promise<number>
  /** The arrivals since the last call; empty unless `stamp` is set. */
  arrivals(): Promise<readonly Arrival[]>
  stop(): Promise<void>
}

export async function startSink(options: SinkOptions = {}): Promise<Sink> {
  const { private: key, cert } = await makeCertificate(`*.${DOMAIN}`)
  const { pid, ask, stop } = startHelper<SinkReplies>(new URL('./sink-process.ts', import.meta.url))
  const port = await ask('listen', { key, cert, ...options })
  return {
    pid,
    ca: cert,
    url: (target) => `https://t${target}.${DOMAIN}:${port}/hook`,
    until: (count) => ask('until', count),
    arrivals: () => ask('arrivals'),
    stop,
  }
}
