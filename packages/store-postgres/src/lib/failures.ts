import { CallboardError } from '@callboard/core'

const SOCKET_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  // Codes of postgres.js.
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
]
// These end the statement: 53 resources, 57014 cancelled by a timeout, 25006 read-only, 55P03 lock timeout.
const STATEMENT_STATES = /^(53|57014|25006|55P03)/
// These end the connection: 08 connection, 57P0 shutdown, 25P03 and 25P04 a transaction that was idle or too long.
const CONNECTION_STATES = /^(08|57P0|25P0[34])/
// When a connection is lost, the error that `pg` throws often has one of these messages and no SQLSTATE (measured).
const PASSING_WORDS =
  /Connection terminated|not queryable|timeout exceeded when trying to connect|Query read timeout|connection timeout/i

/** A table, a schema or a function that does not exist. */
const NOT_MIGRATED = ['42P01', '3F000', '42883']

export function notMigrated(cause?: unknown): CallboardError {
  return new CallboardError(
    'CONFIGURATION_INVALID',
    'The database is not migrated for Callboard. Run migrate() or `callboard migrate` first.',
    {
      cause,
    },
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether an error is a deadlock or a serialisation failure: the transaction may run again from its start. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** Whether an error is temporary: the database is unreachable, shutting down, out of resources, read-only or slow. */
export function isPassing(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (error instanceof AggregateError) return error.errors.some(isPassing)
  return (
    STATEMENT_STATES.test(code) ||
    CONNECTION_STATES.test(code) ||
    SOCKET_CODES.includes(code) ||
    PASSING_WORDS.test(error.message)
  )
}

/**
 * Whether an error means that its connection cannot be used again: it is lost, does not answer, or was ended by the
 * server.
 */
export function endsConnection(error: unknown): error is Error {
  return isPassing(error) && !STATEMENT_STATES.test(codeOf(error))
}

export function unavailable(cause: unknown): CallboardError {
  return new CallboardError('UNAVAILABLE', 'The store cannot be reached at the moment.', { cause, retryAfter: 1 })
}

/**
 * The error for a caller of the store: `UNAVAILABLE` for a temporary error or a conflict, `CONFIGURATION_INVALID` for a
 * database that is not migrated, and otherwise the error itself.
 */
export function toStoreError(error: unknown): unknown {
  if (NOT_MIGRATED.includes(codeOf(error))) return notMigrated(error)
  if (!isPassing(error) && !isConflict(error)) return error
  return unavailable(error)
}

/**
 * Creates an error like the one with which Postgres asks for a transaction to be run again. Thrown when continuing
 * would leave a gap in a sequence, or store only some of a call's events.
 */
export function serialisationFailure(): Error {
  return Object.assign(new Error('two transactions conflicted'), { code: '40001' })
}
