import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An answer that can be sent to another process. */
export type PlainAnswer =
  | 'hold'
  | 'drop'
  | {
      /** 200 by default. */
      readonly status?: number | undefined
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly body?: string | undefined
      /** How long to wait before answering, in milliseconds; 0 by default. */
      readonly delayMs?: number | undefined
    }

/** One line of the receiver's append-only log, written before the request is answered. */
export interface LoggedRequest {
  readonly path: string
  /** The header `webhook-id`. */
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When the body was complete, in milliseconds since the epoch. */
  readonly at: number
  /** The response's status; null if the request was not answered or was dropped. */
  readonly status: number | null
}

export type ReceiverRequest =
  | { readonly ask: 'start'; readonly logFile: string }
  | { readonly ask: 'answer'; readonly path: string; readonly answers: readonly PlainAnswer[] }
  | { readonly ask: 'received'; readonly path: string; readonly count: number }
  | { readonly ask: 'most at once'; readonly path: string }

/** A receiver in a separate process, so that its log survives when a test kills other processes. */
export interface ReceiverProcess {
  /** The certificate to trust. */
  readonly ca: string
  readonly pid: number
  url(path: string): string
  /**
   * Sets the responses to the next requests to a path, in order. The last response repeats. By default, the response is
   * a 200.
   */
  answer(path: string, ...answers: readonly PlainAnswer[]): Promise<void>
  /** Resolves once the path has received this many requests (1 by default) since the receiver started. */
  received(path: string, count?: number): Promise<void>
  /** The highest number of requests to a path that were open at the same time. */
  mostAtOnce(path: string): Promise<number>
  /** The log so far, or only the entries of one path. */
  log(path?: string): Promise<LoggedRequest[]>
  stop(): Promise<void>
}

export async function startReceiverProcess(): Promise<ReceiverProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-receiver-'))
  const logFile = join(folder, 'log.jsonl')
  const child = fork(new URL('./receiver-process-main.ts', import.meta.url), { execArgv: [] })
  const pending = new Map<number, (result: never) => void>()
  let asked = 0
  child.on('message', ({ number, result }: { number: number; result: never }) => {
    pending.get(number)?.(result)
    pending.delete(number)
  })
  const ask = <Result>(request: ReceiverRequest): Promise<Result> =>
    new Promise((resolve, reject) => {
      pending.set(++asked, resolve)
      child.send({ number: asked, request }, (error) => error && reject(error))
    })
  const { ca, origin } = await ask<{ ca: string; origin: string }>({ ask: 'start', logFile })

  return {
    ca,
    pid: child.pid ?? 0,
    url: (path) => `${origin}${path}`,
    answer: (path, ...answers) => ask({ ask: 'answer', path, answers }),
    received: (path, count = 1) => ask({ ask: 'received', path, count }),
    mostAtOnce: (path) => ask({ ask: 'most at once', path }),
    async log(path) {
      const lines = (await readFile(logFile, 'utf8')).split('\n').filter(Boolean)
      const log = lines.map((line): LoggedRequest => JSON.parse(line))
      return path === undefined ? log : log.filter((request) => request.path === path)
    },
    async stop() {
      const ended = once(child, 'exit')
      if (child.connected) child.disconnect()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
