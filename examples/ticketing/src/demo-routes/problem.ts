import { createId, type Issue, isCallboardError } from '@callboard/core'
import type * as z from 'zod'

const STATUS = {
  VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const

const MAX_LENGTH = 200

/** An entry of `issues` in an error, without the `code` that such an entry has in the API. */
type DemoIssue = Omit<Issue, 'code'>

/** An error that a demo route returns, in the shape of the API's errors. */
export class DemoProblem extends Error {
  override readonly name = 'DemoProblem'
  readonly code: keyof typeof STATUS
  readonly issues: readonly DemoIssue[]

  constructor(code: keyof typeof STATUS, message: string, issues: readonly DemoIssue[] = []) {
    super(message)
    this.code = code
    this.issues = issues
  }
}

/** A 400 that names its fields. */
export function invalid(issues: readonly DemoIssue[]): DemoProblem {
  const [first, ...more] = issues
  const message = first === undefined ? 'The body is invalid.' : sentence(first)
  const also = more.length === 0 ? '' : ` (also ${more.map(({ path }) => path).join(', ')})`
  return new DemoProblem(
    'VALIDATION_FAILED',
    message + also,
    issues.map(({ path, message }) => ({ path, message: short(message) })),
  )
}

/** `under` is the path of the parsed value within the body. */
export function issuesOf(error: z.ZodError, under: readonly string[] = []): DemoIssue[] {
  return error.issues.map(({ path, message }) => ({ path: [...under, ...path].map(String).join('.'), message }))
}

/** Converts an error to the problem to answer with. The problem for an internal error reveals no details. */
export function problemOf(error: unknown): DemoProblem {
  if (error instanceof DemoProblem) return error
  if (isCallboardError(error)) {
    switch (error.code) {
      case 'VALIDATION_FAILED':
        return invalid(error.issues)
      case 'NOT_FOUND':
        return new DemoProblem('NOT_FOUND', error.message)
      case 'ACCOUNT_UNKNOWN':
        return invalid([{ path: 'accountId', message: 'this account does not exist. Create it with POST /demo/keys.' }])
      case 'EVENT_TOO_LARGE':
        return new DemoProblem('PAYLOAD_TOO_LARGE', error.message)
      case 'UNAVAILABLE':
        return new DemoProblem('UNAVAILABLE', 'The database cannot be reached at the moment. Try again shortly.')
      default:
        break
    }
  }
  return new DemoProblem('INTERNAL', "Something went wrong. Look for the requestId in the platform's output.")
}

export function respondWith(
  problem: DemoProblem,
  request: Request,
  headers: Record<string, string> = {},
): { requestId: string; response: Response } {
  const requestId = createId('req')
  const statusCode = STATUS[problem.code]
  const body = {
    statusCode,
    message: short(problem.message),
    timestamp: new Date().toISOString(),
    path: new URL(request.url).pathname,
    requestId,
    errorCode: problem.code,
    ...(statusCode === 400 ? { issues: problem.issues } : {}),
  }
  const all: Record<string, string> = { 'cache-control': 'no-store', 'x-request-id': requestId, ...headers }
  if (statusCode === 401) all['www-authenticate'] = 'Bearer realm="demo"'
  if (statusCode === 503) all['retry-after'] = '1'
  return { requestId, response: Response.json(body, { status: statusCode, headers: all }) }
}

/** Puts the field before the message (`lines.0.quantity: …`), unless the message already names it. */
function sentence({ path, message }: DemoIssue): string {
  if (path === '') return `The body ${message}`
  return message.startsWith(path) ? message : `${path}: ${message}`
}

function short(message: string): string {
  return message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH - 1)}…` : message
}
