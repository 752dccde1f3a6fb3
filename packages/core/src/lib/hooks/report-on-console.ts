import { describeError } from './describe-error.ts'

const MINUTE_MS = 60_000

/**
 * Creates the default `onError`: one line on the console, without values. Each kind of error is shown once a minute,
 * because a failing database would otherwise fill the log.
 */
export function reportOnConsole(
  now: () => number,
): (error: unknown, context: { readonly requestId?: string | undefined }) => void {
  const shown = new Set<string>()
  let minute = 0
  return (error, { requestId }) => {
    const current = Math.floor(now() / MINUTE_MS)
    if (current !== minute) shown.clear()
    minute = current
    const kind = describeError(error)
    if (shown.has(kind)) return
    shown.add(kind)
    const request = requestId === undefined ? '' : ` (request ${requestId})`
    console.error(`Callboard: ${kind}${request}. Pass onError to createCallboard to get every error.`)
  }
}
