import { type ChildProcess, fork } from 'node:child_process'
import type { OwnedRef } from '@callboard/core'
import { RING } from '../on-each-store.ts'

/**
 * The calls of the process: `deliver` is `runUntilIdle`, `sequence` and `lease` are those of a worker's store with as
 * many bodies as there are, and the others are those of the platform.
 */
export type StallingCall =
  | 'sequence'
  | 'lease'
  | 'deliver'
  | 'create'
  | 'enable'
  | 'disable'
  | 'skipToNow'
  | 'changeTypes'
  | 'changeTarget'
  | 'setOrdering'
  | 'remove'
  | 'resend'
  | 'resendRange'
  | 'deleteAccount'
  | 'retain'

export interface StallingCallOptions {
  readonly call: StallingCall
  /** The subscription that the call changes, and the account of a subscription that it creates. */
  readonly ref: OwnedRef
  /** The target of a subscription that the call creates or changes. */
  readonly targetUrl: string
  /** The event that is resent. */
  readonly eventId: string
  /**
   * When the process stops itself: once it has sent this many requests to the database, or once an answer of the
   * database has more bytes than this.
   */
  readonly stopsAt: { readonly requests: number } | { readonly bytes: number }
}

export interface StallingChildOptions {
  readonly url: string
  readonly ca: string
  /** Ring key `k1`, in base64. */
  readonly k1: string
}

export type StallingAsk = StallingChildOptions | StallingCallOptions

/** The error of the call; null if it succeeded. */
export interface StallingAnswer {
  readonly error: string | null
}

/** A process that stops itself, as if by `kill -STOP`, at a chosen point of a call. */
export interface StallingChild {
  /** Begins a call. Returns whether the process has stopped itself; false if the call ended before that. */
  begin(options: StallingCallOptions): Promise<boolean>
  /** Lets the stopped process continue, and waits for the end of its call. Throws the error of the call. */
  finish(): Promise<void>
  kill(): void
}

export function startStallingChild(options: Omit<StallingChildOptions, 'k1'>): StallingChild {
  const child = fork(new URL('./stalling-process.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ask = (message: StallingAsk): void => void child.send(message)
  ask({ k1: Buffer.from(RING.k1).toString('base64'), ...options })
  let ended: Promise<void> | undefined

  return {
    async begin(call) {
      const stopped = new Promise<true>((resolve) => child.stdout?.once('data', () => resolve(true)))
      ended = answerOf(child)
      ask(call)
      return Promise.race([stopped, ended.then(() => false)])
    },
    async finish() {
      child.kill('SIGCONT')
      await ended
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

function answerOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      child.off('message', listen)
      child.off('exit', fail)
    }
    const listen = ({ error }: StallingAnswer): void => {
      stop()
      if (error === null) resolve()
      else reject(new Error(error))
    }
    const fail = (): void => {
      stop()
      reject(new Error('the process ended during its call'))
    }
    child.on('message', listen)
    child.on('exit', fail)
  })
}
