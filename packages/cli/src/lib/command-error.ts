/** How the process ends. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const

export interface CommandErrorOptions {
  /** 1 by default: what was asked for could not be done. */
  readonly exitCode?: number | undefined
  readonly cause?: unknown
}

/** Why a command could not do what it was asked to, in words for the person who asked. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  /** For programs. */
  get code(): string {
    if (this.exitCode === EXIT.usage) return 'USAGE'
    return this.exitCode === EXIT.interrupted ? 'INTERRUPTED' : 'FAILED'
  }

  constructor(message: string, { exitCode = EXIT.failed, cause }: CommandErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
  }
}

/** A command line that cannot be meant so. */
export function wrongUsage(message: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.usage })
}

/** Ctrl-C came, and the command has said what is done and what is left. */
export function interrupted(message: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.interrupted })
}
