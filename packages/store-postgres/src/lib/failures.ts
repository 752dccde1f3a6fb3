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
  // Those of postgres.js.
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
]
// 53 resources, 57014 cancelled by a time-out, 25006 read-only, 55P03 lock time-out: the statement's end.
const STATEMENT_STATES = /^(53|57014|25006|55P03)/
// 08 connection, 57P0 shutdown, 25P03 and 25P04 a transaction that stood still or took too long: the connection's end.
const CONNECTION_STATES = /^(08|57P0|25P0[34])/
// After a lost connection `pg` often gives no SQLSTATE (measured), only these words.
const PASSING_WORDS =
  /Connection terminated|not queryable|timeout exceeded when trying to connect|Query read timeout|connection timeout/i

/** A table, a schema or a function that is not there. */
const NOT_MIGRATED = ['42P01', '3F000', '42883']

export function notMigrated(cause?: unknown): CallboardError {
  return new CallboardError(
    'CONFIGURATION_INVALID',
    'The database is not migrated for Callboard: run migrate(), or `callboard migrate`, first.',
    {
      cause,
    },
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** A deadlock or a serialisation failure: the transaction may be tried again from its start. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** Trouble that passes by itself: out of reach, shutting down, out of resources, read-only, too slow. */
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

/** Trouble after which a connection is of no more use: lost, silent, or ended by the server. */
export function endsConnection(error: unknown): error is Error {
  return isPassing(error) && !STATEMENT_STATES.test(codeOf(error))
}

export function unavailable(cause: unknown): CallboardError {
  return new CallboardError('UNAVAILABLE', 'The store is out of reach for the moment.', { cause, retryAfter: 1 })
}

/** What a caller of the store gets: `UNAVAILABLE` for passing trouble, `CONFIGURATION_INVALID` before the first migration, anything else as it is. */
export function toStoreError(error: unknown): unknown {
  if (NOT_MIGRATED.includes(codeOf(error))) return notMigrated(error)
  if (!isPassing(error) && !isConflict(error)) return error
  return unavailable(error)
}

/** What Postgres says when a transaction has to be run again; here because going on would do half of it, or the wrong half. */
export function serialisationFailure(): Error {
  return Object.assign(new Error('two transactions met half-way'), { code: '40001' })
}
