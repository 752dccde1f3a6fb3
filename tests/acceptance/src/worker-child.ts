import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { WorkerHealth, WorkerOptions } from '@callboard/delivery'
import type { PostgresStoreOptions } from '@callboard/store-postgres'
import type { PoolConfig } from 'pg'
import { RING } from './on-each-store.ts'

type Plain<Options> = {
  readonly [Name in keyof Options as Options[Name] extends number | boolean | string | readonly number[] | undefined
    ? Name
    : never]: Options[Name]
}

/** What happens to a worker's process at one point, once. */
export interface Strike {
  readonly at: 'before send' | 'after response'
  /** At which event; at the first to come when undefined. */
  readonly eventId?: string | undefined
  /** Killed as by `kill -9`, held (that one send) until `letGo`, its event loop blocked so long, or nothing: it only tells. */
  readonly does: 'kill' | 'hold' | 'tell' | { readonly blockMs: number }
}

/** What crosses to the process; all of it plain. */
export interface WorkerChildOptions {
  readonly url: string
  readonly schema: string
  /** A certificate that the worker trusts. */
  readonly ca: string
  /** Ring key `k1`, in base64. */
  readonly k1: string
  readonly worker: Plain<WorkerOptions>
  readonly strikes?: readonly Strike[] | undefined
  /** How far its process clock is off. */
  readonly clockOffsetMs?: number | undefined
  /** Three connections by default. */
  readonly pool?: Pick<PoolConfig, 'max' | 'connectionTimeoutMillis'> | undefined
  readonly store?: Plain<PostgresStoreOptions> | undefined
}

/** How the process is; for asking whether it lives and whether its pool's clients are idle (I9). */
export interface WorkerLook {
  readonly health: WorkerHealth
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number }
  readonly heapUsed: number
}

export type WorkerAsk = WorkerChildOptions | 'look' | 'let go'

export type WorkerTells =
  | { readonly started: true }
  | { readonly reached: Strike['at']; readonly eventId: string }
  | { readonly look: WorkerLook }
  | { readonly error: string }
  | { readonly log: string; readonly fields?: unknown }

export interface WorkerChild {
  readonly pid: number
  /** Resolves once it takes work; rejects when it ended before. */
  readonly started: Promise<void>
  /** Resolves with the event at which a strike fell, those before the call included, one a call. */
  reached(at: Strike['at']): Promise<string>
  /** Ends a `hold`. */
  letGo(): void
  look(): Promise<WorkerLook>
  /** The codes (or texts) of the errors that it has told of so far. */
  readonly errors: readonly string[]
  /** What it logged so far. */
  readonly logs: readonly string[]
  /** `SIGSTOP`, `SIGCONT`, `SIGTERM`, `SIGKILL` … */
  signal(signal: NodeJS.Signals): void
  /** Resolves with how it ended: a code, or the signal that killed it. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Kills it if it lives, and waits for its end. */
  kill(): Promise<void>
}

/**
 * Long enough that no delivery and no lease ends by the time on a machine that is short of it. Short enough to wait it out within a
 * test: what a worker had under way when it was killed can still lengthen its lease, after the test has moved the clock.
 */
export const PATIENT = { deadlineMs: 8_000, leaseMs: 20_000 } as const

/** Starts a worker in a process of its own, with short deadlines unless told otherwise. */
export function startWorkerChild(
  options: Omit<WorkerChildOptions, 'k1' | 'worker'> & Partial<Pick<WorkerChildOptions, 'worker'>>,
): WorkerChild {
  const child = fork(new URL('./worker-process.ts', import.meta.url), { execArgv: [] })
  const errors: string[] = []
  const logs: string[] = []
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const started = heard(child, (message) => 'started' in message).then(() => undefined)
  // Nobody has to wait for it.
  started.catch(() => undefined)
  const reached: { readonly at: Strike['at']; readonly eventId: string }[] = []
  child.on('message', (message: WorkerTells) => {
    if ('error' in message) errors.push(message.error)
    if ('log' in message) logs.push(message.log)
    if ('reached' in message) reached.push({ at: message.reached, eventId: message.eventId })
  })
  child.send({
    k1: Buffer.from(RING.k1).toString('base64'),
    ...options,
    worker: { deadlineMs: 3_000, leaseMs: 8_000, ...options.worker },
  } satisfies WorkerAsk)

  return {
    pid: child.pid ?? 0,
    started,
    errors,
    logs,
    ended,
    async reached(at) {
      for (;;) {
        const index = reached.findIndex((each) => each.at === at)
        const [first] = index === -1 ? [] : reached.splice(index, 1)
        if (first !== undefined) return first.eventId
        await heard(child, (message) => 'reached' in message)
      }
    },
    letGo: () => void child.send('let go' satisfies WorkerAsk),
    async look() {
      const answer = heard(child, (message) => 'look' in message)
      child.send('look' satisfies WorkerAsk)
      const message = await answer
      if (!('look' in message)) throw new Error('not a look')
      return message.look
    },
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The next message that matches; rejects when the process ends first. */
function heard(child: ChildProcess, matches: (message: WorkerTells) => boolean): Promise<WorkerTells> {
  return new Promise((resolve, reject) => {
    const listen = (message: WorkerTells): void => {
      if (!matches(message)) return
      stop()
      resolve(message)
    }
    const fail = (code: number | null, signal: NodeJS.Signals | null): void => {
      stop()
      reject(new Error(`the worker's process ended: ${code ?? signal}`))
    }
    const stop = (): void => {
      child.off('message', listen)
      child.off('exit', fail)
    }
    child.on('message', listen)
    child.on('exit', fail)
  })
}
