import { CallboardApiError } from '@callboard/client'
import { ReceiverError } from './receiver-error.ts'

/**
 * Adds the likely cause to an error of the API. The API cannot name the cause, because it does not know how the demo
 * was started.
 */
export function toReceiverError(error: unknown, url: string): unknown {
  if (!(error instanceof CallboardApiError)) return error
  const { code, message, requestId } = error
  if (code === 'UNREACHABLE' || code === 'TIMED_OUT')
    return new ReceiverError(`${url} does not answer. Start the platform with npm start, or set CALLBOARD_URL.`)
  return new ReceiverError(`${message}${requestId === undefined ? '' : ` (${requestId})`}${hintOf(error)}`)
}

function hintOf({ statusCode, issues }: CallboardApiError): string {
  if (statusCode === 401 || statusCode === 403)
    return '. The key comes from CALLBOARD_KEY or .data/demo.json. Each start of the platform rewrites that file.'
  if (issues.some(({ path }) => path === 'targetUrl'))
    return '. The platform was probably started with ALLOW_LOOPBACK_TARGETS=0. Start it without that setting.'
  return ''
}
