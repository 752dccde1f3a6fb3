import { CallboardApiError } from '@callboard/client'
import { ReceiverError } from './receiver-error.ts'

/** What the API said, and the likely cause in words of this demo: the API knows nothing of how it was started. */
export function toReceiverError(error: unknown, url: string): unknown {
  if (!(error instanceof CallboardApiError)) return error
  const { code, message, requestId } = error
  if (code === 'UNREACHABLE' || code === 'TIMED_OUT')
    return new ReceiverError(`${url} does not answer. Start the platform with npm start, or set CALLBOARD_URL.`)
  return new ReceiverError(`${message}${requestId === undefined ? '' : ` (${requestId})`}${hintOf(error)}`)
}

function hintOf({ statusCode, issues }: CallboardApiError): string {
  if (statusCode === 401 || statusCode === 403)
    return '. The key is that of CALLBOARD_KEY or, without one, of .data/demo.json, which each start of the platform renews.'
  if (issues.some(({ path }) => path === 'targetUrl'))
    return '. Most likely the platform was started with ALLOW_LOOPBACK_TARGETS=0: start it without.'
  return ''
}
