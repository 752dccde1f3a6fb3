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

/** A fault that strikes a worker's process once, at one point. */
export interface Strike {
  readonly at: 'before send' | 'after response'
  /** The event at which the fault strikes; undefined for the first event. */
  readonly eventId?: string | undefined
  /**
   * The fault's effect: `kill` ends the process like `kill -9`, `hold` delays this one send until `letGo` is called,
   * and `blockMs` blocks the event loop for that long. All faults are reported; `tell` does nothing else.
   */
  readonly does: 'kill' | 'hold' | 'tell' | { readonly blockMs: number }
}

/** The options that are sent to the process, so they are plain data. */
export interface WorkerChildOptions {
  readonly url: string
  readonly schema: string
  /** A certificate that the worker trusts. */
  readonly ca: string
  /** Ring key `k1`, in base64. */
  readonly k1: string
  readonly worker: Plain<WorkerOptions>
  readonly strikes?: readonly Strike[] | undefined
  /** The worker's catalogue: that of the platform in April, or the one of now, which has both versions. */
  readonly catalogue?: 'april' | 'versioned' | undefined
  /** How far the process's clock is off. */
  readonly clockOffsetMs?: number | undefined
  /** Three connections by default. */
  readonly pool?: Pick<PoolConfig, 'max' | 'connectionTimeoutMillis'> | undefined
  readonly store?: Plain<PostgresStoreOptions> | undefined
}

/** The state of the process: the worker's health and the pool's clients (for invariant I9), and the used heap. */
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
  /** Resolves once the worker takes work; rejects if the process ends before that. */
  readonly started: Promise<void>
  /** Resolves with the event id of the first strike at the point `at` that no earlier call has returned. */
  reached(at: Strike['at']): Promise<string>
  /** Releases the send that a `hold` delays. */
  letGo(): void
  look(): Promise<WorkerLook>
  /** The codes (or messages) of the errors that the worker has reported so far. */
  readonly errors: readonly string[]
  /** The messages that the worker has logged so far. */
  readonly logs: readonly string[]
  /** `SIGSTOP`, `SIGCONT`, `SIGTERM`, `SIGKILL` … */
  signal(signal: NodeJS.Signals): void
  /** Resolves with the process's exit code, or with the signal that killed it. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Kills the process if it still runs, and waits until it has ended. */
  kill(): Promise<void>
}

/**
 * Limits so long that no delivery or lease times out on a slow machine, but short enough for a test to wait for. A test
 * may have to wait for a lease, because a statement of a killed worker can extend it after the test has moved the
 * clock.
 */
export const PATIENT = { deadlineMs: 8_000, leaseMs: 20_000 } as const

/** Starts a worker in a separate process, with short deadlines by default. */
export function startWorkerChild(
  options: Omit<WorkerChildOptions, 'k1' | 'worker'> & Partial<Pick<WorkerChildOptions, 'worker'>>,
): WorkerChild {
  const child = fork(new URL('./worker-process.ts', import.meta.url), { execArgv: [] })
  const errors: string[] = []
  const logs: string[] = []
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const started = heard(child, (message) => 'started' in message).then(() => undefined)
  // Without this, a rejection would be unhandled if a test does not wait for the start.
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
