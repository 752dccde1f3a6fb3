import { type Issue, isCallboardError } from '@callboard/core'
import { CommandError, EXIT } from './command-error.ts'

/** A failure as people and programs are told of it. */
export interface Failure {
  /** Stable: a code of `CallboardError`, of Postgres or the system, or `FAILED`, `USAGE`, `INTERRUPTED`. */
  readonly code: string
  /** What happened and what to do, on one line; holds no secret. */
  readonly message: string
  readonly issues: readonly Issue[]
  readonly exitCode: number
}

const WHERE = 'DATABASE_URL, or the pool of callboard.config.ts'

/** By Postgres's codes, what to do about a database that is there and refuses. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': `Check user and password in ${WHERE}.`,
  '28000': `Check user and password in ${WHERE}.`,
  '3D000': `Create it (createdb), or correct ${WHERE}.`,
  '42501': 'Run this as a role that has the rights: see "Migrations and roles" of @callboard/store-postgres.',
}

/** What is told of an error: never its stack, nor properties that libraries hang on it (connection strings, parameters). */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommandError)
    return { code: error.code, message: error.message, issues: [], exitCode: error.exitCode }
  if (isCallboardError(error, 'UNAVAILABLE') || isUnreachable(error)) return unreachable(error)
  if (isCallboardError(error))
    return { code: error.code, message: error.message, issues: error.issues, exitCode: EXIT.failed }
  const code = codeOf(error) ?? 'FAILED'
  const advice = REFUSALS[code]
  const message = messageOf(error)
  return { code, message: advice ? `${asSentence(message)} ${advice}` : message, issues: [], exitCode: EXIT.failed }
}

function unreachable(error: unknown): Failure {
  const cause = isCallboardError(error) ? error.cause : error
  const message = `The database cannot be reached: ${asSentence(messageOf(cause ?? error))} Check that it runs, and ${WHERE}.`
  return { code: 'UNAVAILABLE', message, issues: [], exitCode: EXIT.failed }
}

/** A connection that failed, by the name of the system call. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable)
  return error instanceof Error && ('syscall' in error || /timeout exceeded when trying to connect/.test(error.message))
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Of several tries (IPv6 and IPv4 of one name) the last says most; their own message is empty. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors.at(-1))
  return error instanceof Error && error.message !== '' ? error.message : 'something failed without a message'
}

/** With a full stop behind it. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
