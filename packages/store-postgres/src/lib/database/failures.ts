import { CallboardError, isCallboardError } from '@callboard/core'
import { deniedError } from '../schema/grants.ts'

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
  // Error codes of postgres.js.
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
]
// The SQLSTATEs of temporary errors after which the connection still works: 53 lack of resources, 57014 cancelled by a
// timeout, 55P03 lock timeout.
const STATEMENT_STATES = /^(53|57014|55P03)/
// The SQLSTATEs of errors after which the connection must be replaced: 08 connection lost, 57P0 server shutting down,
// 25P03 and 25P04 transaction idle or open for too long. Also the errors of a read-only server, such as a standby to
// which an outdated address leads after a failover: 25006 read-only, 55000 recovery is in progress, 0A000 unlogged
// table during recovery. 0A000 is also the error of a prepared statement whose result type a migration has changed.
const CONNECTION_STATES = /^(08|57P0|25P0[34]|25006|55000|0A000)/
// The SQLSTATEs of a prepared statement that does not exist, or exists already: somebody else has used the server's
// connection, or has deallocated its statements.
const PREPARED_STATES = /^(26000|42P05)$/
// When a connection is lost, the error that `pg` throws often has one of these messages and no SQLSTATE (measured).
const PASSING_WORDS =
  /Connection terminated|not queryable|timeout exceeded when trying to connect|Query read timeout|connection timeout/i

/** The SQLSTATE of a role that lacks a right. */
export const INSUFFICIENT_PRIVILEGE = '42501'
/** The SQLSTATEs for a table, a schema or a function that does not exist. */
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

/** Whether an error is a deadlock or a serialisation failure. After either, the whole transaction may be run again. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/**
 * Whether an error says that the transaction is read-only. In a transaction of the caller's it is not the server that
 * is read-only: there, `in_transaction` throws another error on a standby.
 */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** Whether an error is temporary: the database is unreachable, shutting down, out of resources, read-only or slow. */
export function isPassing(error: unknown): error is Error {
  if (!(error instanceof Error) || refusedByPooler(error) !== undefined) return false
  const code = codeOf(error)
  if (error instanceof AggregateError) return error.errors.some(isPassing)
  return (
    STATEMENT_STATES.test(code) ||
    CONNECTION_STATES.test(code) ||
    SOCKET_CODES.includes(code) ||
    PASSING_WORDS.test(error.message)
  )
}

/** Whether an error says that a prepared statement does not exist. */
export function lacksPrepared(error: unknown): boolean {
  return codeOf(error) === '26000'
}

/**
 * Whether the connection that threw an error must not be used again: it is lost or does not answer, the server is
 * shutting down or read-only, or the connection's prepared statements are not those that we prepared.
 */
export function endsConnection(error: unknown): error is Error {
  return PREPARED_STATES.test(codeOf(error)) || (isPassing(error) && !STATEMENT_STATES.test(codeOf(error)))
}

/** The start-up parameter that a pooler refused, such as `statement_timeout`; undefined for any other error. */
function refusedByPooler({ message }: Error): string | undefined {
  return /unsupported startup parameter(?: in options)?: (\w+)/.exec(message)?.[1]
}

/** The error to throw instead of `error` if a pooler cannot work with the options; undefined for any other cause. */
function poolerError(error: unknown): CallboardError | undefined {
  if (!(error instanceof Error)) return undefined
  const parameter = refusedByPooler(error)
  const message =
    parameter === undefined
      ? 'The connections do not keep prepared statements, so they may lead through a pooler. Set prepare: false.'
      : `The pooler refuses the start-up parameter ${parameter}. Remove it from the options of the pool, or add it to ` +
        'ignore_startup_parameters of PgBouncer. In both cases, set it with "alter role … set" instead.'
  const isOne = parameter !== undefined || PREPARED_STATES.test(codeOf(error))
  return isOne ? new CallboardError('CONFIGURATION_INVALID', message, { cause: error }) : undefined
}

export function unavailable(cause: unknown): CallboardError {
  return new CallboardError('UNAVAILABLE', 'The store cannot be reached at the moment.', { cause, retryAfter: 1 })
}

/**
 * Converts an error for a caller of the store: `UNAVAILABLE` for a temporary error or a conflict, and
 * `CONFIGURATION_INVALID` for a database that is not migrated, a role that lacks a right, and for a pooler that refuses
 * the options. Any other error is returned unchanged.
 */
export function toStoreError(error: unknown): unknown {
  if (NOT_MIGRATED.includes(codeOf(error))) return notMigrated(error)
  if (error instanceof Error && codeOf(error) === INSUFFICIENT_PRIVILEGE) return deniedError(error)
  const refused = poolerError(error)
  if (refused !== undefined) return refused
  if (!isPassing(error) && !isConflict(error)) return error
  return unavailable(error)
}

/** Whether an error, or the cause of an `UNAVAILABLE`, says that the server's disk is full. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === '53100' || (isCallboardError(error) && codeOf(error.cause) === '53100')
}

/**
 * Creates the error with which Postgres asks for a transaction to be run again. We throw it ourselves when continuing
 * would leave a gap in a sequence, or would store only some of a call's events.
 */
export function serialisationFailure(): Error {
  return Object.assign(new Error('two transactions conflicted'), { code: '40001' })
}
