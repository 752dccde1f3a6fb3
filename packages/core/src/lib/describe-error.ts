import { isCallboardError } from '@callboard/core'

/**
 * Describes an error for the log. Callboard's own messages contain no values. Messages from a database or another
 * library can contain values, so only the name, the code and the source location of such an error are logged.
 */
export function describeTrouble(error: unknown): string {
  if (!(error instanceof Error)) return 'something other than an error was thrown'
  const beneath = error.cause === undefined ? '' : `, caused by ${describeTrouble(error.cause)}`
  if (error instanceof AggregateError && error.errors.length > 0)
    return `${error.name} of ${describeTrouble(error.errors[0])}${beneath}`
  if (isCallboardError(error)) return `${error.code}: ${error.message}${beneath}`
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const [, place] = /\n\s+at ([^\n]+)/.exec(error.stack ?? '') ?? []
  return `${error.name}${code}${place === undefined ? '' : ` at ${place}`}${beneath}`
}
