import { isCallboardError } from '../errors.ts'

/**
 * Describes an error for a log. Callboard's own messages contain no values. Messages from a database or another library
 * can contain values, so only the name, the code and the source location of such an error are given.
 */
export function describeError(error: unknown, maxCauses = 5): string {
  if (!(error instanceof Error)) return 'something other than an error was thrown'
  const beneath =
    error.cause === undefined || maxCauses === 0 ? '' : `, caused by ${describeError(error.cause, maxCauses - 1)}`
  if (error instanceof AggregateError && error.errors.length > 0)
    return `${error.name} of ${describeError(error.errors[0], maxCauses - 1)}${beneath}`
  if (isCallboardError(error)) return `${error.code}: ${error.message}${beneath}`
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  return `${error.name}${code}${locationOf(error)}${beneath}`
}

/** The first line of the stack. A message precedes the stack, and a line of the message may look like such a line. */
function locationOf({ message, stack = '' }: Error): string {
  const start = stack.indexOf(message)
  const [, place] = (start < 0 ? undefined : /\n\s+at ([^\n]+)/.exec(stack.slice(start + message.length))) ?? []
  return place === undefined ? '' : ` at ${place}`
}
