import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An answer that can be told to another process. */
export type PlainAnswer =
  | 'hold'
  | 'drop'
  | {
      /** 200 by default. */
      readonly status?: number | undefined
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly body?: string | undefined
      /** How long the answer waits, in milliseconds; 0 by default. */
      readonly delayMs?: number | undefined
    }

/** One line of the receiver's log, which is only ever appended to, and that before the request is answered. */
export interface LoggedRequest {
  readonly path: string
  /** The header `webhook-id`. */
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When its body was complete, in milliseconds since the epoch. */
  readonly at: number
  /** The status that it was answered with; null for one that was held or dropped. */
  readonly status: number | null
}

export type ReceiverRequest =
  | { readonly ask: 'start'; readonly logFile: string }
  | { readonly ask: 'answer'; readonly path: string; readonly answers: readonly PlainAnswer[] }
  | { readonly ask: 'received'; readonly path: string; readonly count: number }
  | { readonly ask: 'most at once'; readonly path: string }

/** A receiver in a process of its own, whose log outlives everything that a test kills. */
export interface ReceiverProcess {
  /** What a subscription's target may trust. */
  readonly ca: string
  readonly pid: number
  url(path: string): string
  /** What requests to a path get, one after the other, the last for all that follow; 200 by default. */
  answer(path: string, ...answers: readonly PlainAnswer[]): Promise<void>
  /** Resolves once so many requests came to a path, those before the call included; 1 by default. */
  received(path: string, count?: number): Promise<void>
  /** Requests to a path that were open at one time, at most. */
  mostAtOnce(path: string): Promise<number>
  /** The whole log so far, of one path if it is named. */
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
