import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A process that answers questions. */
export interface Helper<Ask, Answer> {
  /** Asks one question. Wait for the answer before you ask the next. */
  ask(ask: Ask): Promise<Answer>
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a process from a file that calls {@link answer}, with these Node options. */
export function startHelper<Ask extends object, Answer>(
  file: URL,
  options: readonly string[] = [],
): Helper<Ask, Answer> {
  const child: ChildProcess = fork(file, { execArgv: ['--expose-gc', ...options] })
  const ended = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    async ask(ask) {
      const answered = once(child, 'message')
      child.send(ask)
      const gone = ended.then(() => {
        throw new Error(`${file.pathname.split('/').at(-1)} exited`)
      })
      const [message] = (await Promise.race([answered, gone])) as [{ readonly answer: Answer }]
      return message.answer
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** For use in the helper's process: answers each question, and exits when the parent does. */
export function answer<Ask, Answer>(reply: (ask: Ask) => Answer | Promise<Answer>): void {
  process.on('message', (ask: Ask) => {
    void Promise.resolve(reply(ask)).then((given) => process.send?.({ answer: given }))
  })
  process.on('disconnect', () => process.exit())
}

/** The machine's monotonic clock in milliseconds, the same in all processes. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
