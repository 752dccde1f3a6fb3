import { type Issue, isCallboardError } from '@callboard/core'
import { CommandError, EXIT } from './command-error.ts'
import { inTerminalTerms } from './in-terminal-terms.ts'

/** A failure, in the form that is reported to people and programs. */
export interface Failure {
  /** A stable code: from a `CallboardError`, Postgres or the operating system, or `FAILED`, `USAGE`, `INTERRUPTED`. */
  readonly code: string
  /** One line that says what happened and what to do, without secrets. */
  readonly message: string
  readonly issues: readonly Issue[]
  readonly exitCode: number
}

const WHERE = 'DATABASE_URL or the pool in callboard.config.ts'

/** Advice by Postgres error code, for a database that is reachable but refuses the connection or the statement. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': `Check the user and password in ${WHERE}.`,
  '28000': `Check the user and password in ${WHERE}.`,
  '3D000': `Create it (createdb), or correct ${WHERE}.`,
  '42501': 'Run this as a role with the required rights: see "Migrations and roles" in @callboard/store-postgres.',
}

/**
 * Describes an error without its stack, and without the properties that libraries attach to it, such as connection
 * strings and parameters.
 */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommandError)
    return { code: error.code, message: error.message, issues: [], exitCode: error.exitCode }
  if (isCallboardError(error, 'UNAVAILABLE') || isUnreachable(error)) return unreachable(error)
  if (isCallboardError(error)) {
    const issues = error.issues.map((issue) => ({ ...issue, message: inTerminalTerms(issue.message) }))
    return { code: error.code, message: inTerminalTerms(error.message), issues, exitCode: EXIT.failed }
  }
  const code = codeOf(error) ?? 'FAILED'
  const advice = REFUSALS[code]
  const message = messageOf(error)
  return { code, message: advice ? `${asSentence(message)} ${advice}` : message, issues: [], exitCode: EXIT.failed }
}

function unreachable(error: unknown): Failure {
  const cause = isCallboardError(error) ? error.cause : error
  const reason = asSentence(messageOf(cause ?? error))
  const message = `The database cannot be reached: ${reason} Check that it is running, and check ${WHERE}.`
  return { code: 'UNAVAILABLE', message, issues: [], exitCode: EXIT.failed }
}

/** Recognises a failed connection: either the error names a system call, or it is the timeout error of `pg`. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable)
  return error instanceof Error && ('syscall' in error || /timeout exceeded when trying to connect/.test(error.message))
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * If Node can connect to none of the addresses of a host name, it throws an AggregateError with an empty message. The
 * last error inside it says the most.
 */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors.at(-1))
  return error instanceof Error && error.message !== '' ? error.message : 'something failed without a message'
}

/** Adds a full stop if the text has none. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
