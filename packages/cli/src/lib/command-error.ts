/** Exit codes of the process. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const

export interface CommandErrorOptions {
  /** 1 by default. */
  readonly exitCode?: number | undefined
  readonly cause?: unknown
}

/** A failed command, with a message for the person who ran it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  /** The code that programs get. */
  get code(): string {
    if (this.exitCode === EXIT.usage) return 'USAGE'
    return this.exitCode === EXIT.interrupted ? 'INTERRUPTED' : 'FAILED'
  }

  constructor(message: string, { exitCode = EXIT.failed, cause }: CommandErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
  }
}

/** An error for a command line that makes no sense. */
export function wrongUsage(message: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.usage })
}

/** An error for a command that Ctrl-C ended; the message says what was done and what is left. */
export function interrupted(message: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.interrupted })
}
