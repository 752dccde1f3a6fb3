import { fork } from 'node:child_process'
import { once } from 'node:events'

/** The questions that a process answers, by name. Questions and answers travel as JSON. */
export type Replies = Readonly<Record<string, (...asked: never[]) => unknown>>

interface Question {
  readonly id: number
  readonly name: string
  readonly asked: readonly never[]
}

interface Answer {
  readonly id: number
  readonly answer: unknown
}

/** A process that answers questions. */
export interface Helper<R extends Replies> {
  readonly pid: number
  ask<Name extends keyof R & string>(name: Name, ...asked: Parameters<R[Name]>): Promise<Awaited<ReturnType<R[Name]>>>
  /** Resolves to the result of `work`. Rejects if the process exits first. */
  during<Result>(work: Promise<Result>): Promise<Result>
  /** Ends the process, and resolves once it has exited. */
  stop(): Promise<void>
}

/** Starts a process from a file that calls {@link answer}, with these options of Node. */
export function startHelper<R extends Replies>(file: URL, nodeOptions: readonly string[] = []): Helper<R> {
  const child = fork(file, { execArgv: [...nodeOptions] })
  const ended = once(child, 'exit')
  const waiting = new Map<number, (answer: unknown) => void>()
  child.on('message', ({ id, answer }: Answer) => {
    waiting.get(id)?.(answer)
    waiting.delete(id)
  })
  const during = <Result>(work: Promise<Result>): Promise<Result> =>
    Promise.race([
      work,
      ended.then(([code]) => Promise.reject(new Error(`${file.pathname.split('/').at(-1)} exited (${code})`))),
    ])
  let questions = 0
  return {
    pid: child.pid ?? 0,
    during,
    ask(name, ...asked) {
      const id = questions++
      const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve))
      child.send({ id, name, asked })
      return during(answered) as ReturnType<Helper<R>['ask']>
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** For use in the helper's process: answers questions. When the parent ends the process, awaits `stop` and exits. */
export function answer(replies: Replies, stop: () => unknown = () => undefined): void {
  process.on('message', async ({ id, name, asked }: Question) => {
    const message: Answer = { id, answer: await replies[name]?.(...asked) }
    process.send?.(message)
  })
  process.once('disconnect', async () => {
    await stop()
    process.exit()
  })
}

/** The machine's monotonic clock in milliseconds, the same in all processes. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
