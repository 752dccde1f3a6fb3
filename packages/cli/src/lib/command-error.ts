/** Exit codes of the process. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const

export interface CommandErrorOptions {
  /** 1 by default. */
  readonly exitCode?: number | undefined
  /** `FAILED` by default, if the exit code is 1. */
  readonly code?: 'NOT_FOUND' | undefined
  readonly cause?: unknown
}

/** The error of a failed command, with a message for the person who ran the command. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  /** The error code in `--json` output, for programs. */
  readonly code: string

  constructor(message: string, { exitCode = EXIT.failed, code, cause }: CommandErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
    this.code = code ?? (exitCode === EXIT.usage ? 'USAGE' : exitCode === EXIT.interrupted ? 'INTERRUPTED' : 'FAILED')
  }
}

/** Creates the error for an invalid command line. */
export function wrongUsage(message: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.usage })
}

/** Creates the error for a command that Ctrl-C stopped. The message says what was done and what is left to do. */
export function interrupted(message: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.interrupted })
}

/** Creates the error for something that does not exist. */
export function notFound(message: string): CommandError {
  return new CommandError(message, { code: 'NOT_FOUND' })
}
