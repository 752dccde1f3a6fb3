import { fork } from 'node:child_process'
import { makeCertificate } from '@callboard/testbed'
import type { Arrival, SinkNews } from './sink-process.ts'

const DOMAIN = 'bench.test'

/** A receiver in a process of its own, over TLS with keep-alive. */
export interface Sink {
  readonly port: number
  /** PEM of the certificate to trust. */
  readonly ca: string
  /** The URL of one target. Each target has a host name of its own. */
  url(target: number): string
  /**
   * Once `count` requests have arrived since the sink started, resolves to the time of the last of them, in
   * milliseconds by the sink's clock. Await one count at a time.
   */
  until(count: number): Promise<number>
  /** The arrivals since the last call; empty unless `stamp` is set. */
  arrivals(): Promise<readonly Arrival[]>
  stop(): Promise<void>
}

export interface SinkOptions {
  /** Milliseconds before each answer; 0 by default. */
  readonly delayMs?: number | undefined
  /** Whether to keep the time of each arrival; false by default. */
  readonly stamp?: boolean | undefined
}

export async function startSink({ delayMs = 0, stamp = false }: SinkOptions = {}): Promise<Sink> {
  const { private: key, cert } = await makeCertificate(`*.${DOMAIN}`)
  const child = fork(new URL('./sink-process.ts', import.meta.url))
  const next = (kind: SinkNews['kind']): Promise<SinkNews> =>
    new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('the sink exited'))
      const onNews = (news: SinkNews): void => {
        if (news.kind !== kind) return
        child.off('message', onNews)
        child.off('exit', onExit)
        resolve(news)
      }
      child.on('message', onNews)
      child.once('exit', onExit)
    })
  const listening = next('listening')
  child.send({ key, cert, delayMs, stamp })
  const news = await listening
  const port = news.kind === 'listening' ? news.port : 0
  return {
    port,
    ca: cert,
    url: (target) => `https://t${target}.${DOMAIN}:${port}/hook`,
    async until(count) {
      const reached = next('reached')
      child.send({ until: count })
      const news = await reached
      return news.kind === 'reached' ? news.at : Number.NaN
    },
    async arrivals() {
      const told = next('arrivals')
      child.send('arrivals')
      const answer = await told
      return answer.kind === 'arrivals' ? answer.arrivals : []
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.disconnect()
      }),
  }
}
