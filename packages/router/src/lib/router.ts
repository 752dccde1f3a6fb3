import { CallboardError, isCallboardError } from '@callboard/core'
import { type AnyCallboard, assertWhole, type Engine, engineOf, STREAM_MS } from '@callboard/core/engine'
import { isPlainPath, pathPattern } from '@callboard/handler'
import { type IRequest, IttyRouter, type RouteEntry } from 'itty-router'
import { type Call, createCall } from './call.ts'
import { insufficient, obstacle, unauthenticated } from './door.ts'
import { createFormatVersions, type FormatVersions } from './format-version.ts'
import type { Handler } from './handlers/handler.ts'
import type { KeyTestSender } from './handlers/send-test.ts'
import { createOpening } from './open-requests.ts'
import { createOpenApi, type OpenApi, type OpenApiOptions } from './openapi/openapi.ts'
import type { OpenApiDocument } from './openapi/openapi-document.ts'
import { type Problem, problemOf, refuse, STATUS } from './problem.ts'
import { type Reply, respond } from './reply.ts'
import { type Route, routes } from './routes.ts'

export interface RouterOptions {
  /** Path at which the router is mounted, for example `/api` for `/api/v1/me`; `''` by default. */
  readonly basePath?: string | undefined
  /** Options for the OpenAPI document, which is served at `/openapi.json` by default. */
  readonly openapi?: OpenApiOptions | undefined
  /**
   * Sends the test events that customers ask for: `createTestSender(callboard)` of `@callboard/delivery`. Share one
   * with the dashboard, so that both count against the same limits. None by default: the call then answers 404.
   */
  readonly tests?: KeyTestSender | undefined
  /**
   * The longest time that a request to `/v1/events/feed` stays open, in milliseconds, from 1 to 900,000; 900,000 by
   * default. Set it below the limit of your host, if that ends requests by itself: a stream then ends before, `wait` is
   * shorter, and clients come back with their cursor.
   */
  readonly maxOpenMs?: number | undefined
  /** When this aborts, all streams and waiting requests end. Abort it before `server.close()`, which waits for them. */
  readonly closing?: AbortSignal | undefined
}

export interface Router {
  /**
   * Answers one request. The promise never rejects. `fetch` does not use `this`, so you can pass it around as a plain
   * function.
   */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Returns the OpenAPI 3.1 document of a format version (the current one by default), with this platform's event
   * types, even if no document is served. Rejects with `VALIDATION_FAILED` for a version that is not served.
   */
  readonly openapi: (version?: string) => Promise<OpenApiDocument>
}

/**
 * Creates the `/v1` API as one fetch handler, for any server that uses `Request` and `Response`. All state is in the
 * store.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for an invalid `basePath`, `openapi.path` or `maxOpenMs`.
 * @example
 * const { fetch } = createRouter(callboard, { basePath: '/api' })
 * const response = await fetch(new Request('https://example.com/api/v1/me', { headers: { authorization } }))
 */
export function createRouter(
  callboard: AnyCallboard,
  { basePath = '', openapi: options, tests, maxOpenMs = STREAM_MS, closing }: RouterOptions = {},
): Router {
  if (!isPlainPath(basePath)) {
    throw new CallboardError('CONFIGURATION_INVALID', 'basePath must be a path such as /api, without a trailing slash.')
  }
  assertWhole({ maxOpenMs }, 1, STREAM_MS)
  const engine = engineOf(callboard)
  const { hooks, now, telemetry } = engine
  const openapi = createOpenApi(callboard, basePath, options)
  const opening = createOpening(maxOpenMs, closing)
  const { fetch: match } = IttyRouter({
    routes: table((route) => route.handler(engine, opening, tests), engine, basePath, openapi),
  })

  const refusal = (problem: Problem, call: Call): Reply => refuse(problem, call, now())
  const answer = async (call: Call): Promise<Response> => {
    let reply: Reply
    try {
      const matched: Reply | Problem = (await match(call, call)) ?? NO_ENDPOINT
      reply = 'code' in matched ? refusal(matched, call) : matched
    } catch (error) {
      const problem = problemOf(error)
      if (STATUS[problem.code] >= 500) hooks.onError(error, { requestId: call.requestId })
      reply = refusal(problem, call)
    }
    return respond(reply, call)
  }
  return {
    async fetch(request) {
      const call = createCall(request)
      return telemetry === undefined ? answer(call) : telemetry.request(call, () => answer(call))
    },
    openapi: openapi.document,
  }
}

const NO_ENDPOINT: Problem = { code: 'NOT_FOUND', message: 'There is no such endpoint. Check the path.' }

function table(handlerOf: (route: Route) => Handler, engine: Engine, basePath: string, openapi: OpenApi): RouteEntry[] {
  const entries: RouteEntry[] = []
  const methods = new Map<string, string[]>()
  const versions = createFormatVersions(engine.formats)
  for (const route of routes) {
    const entering = { route: basePath + route.path, versions, realm: engine.headerNames.realm }
    entries.push([route.method, pathPattern(entering.route), [enter(handlerOf(route), route, entering)]])
    const known = methods.get(route.path) ?? []
    methods.set(route.path, [...known, ...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])])
  }
  if (openapi.path !== undefined) {
    const route = basePath + openapi.path
    const answer = (_request: IRequest, call: Call): Promise<Reply> => {
      call.route = route
      return openapi.answer(call)
    }
    entries.push(['GET', pathPattern(route), [answer]])
    methods.set(openapi.path, ['GET', 'HEAD'])
  }
  for (const [path, known] of methods) {
    const route = basePath + path
    entries.push(['ALL', pathPattern(route), [otherMethod(route, [...known, 'OPTIONS'].join(', '))]])
  }
  return entries
}

interface Entering {
  readonly route: string
  readonly versions: FormatVersions
  readonly realm: string
}

/** Checks the key, the rate limit and the scope, in this order, before validation and work. */
function enter(handle: Handler, { scope }: Route, { route, versions, realm }: Entering) {
  return async ({ params }: IRequest, call: Call): Promise<Reply | Problem> => {
    call.route = route
    const { admission, work } = await handle(call.request.headers.get('authorization'), call)
    if (admission.outcome === 'refused') return unauthenticated(admission, realm)
    call.windows = admission.windows
    const apiVersion = versions.used(call.request, admission.caller)
    const caller = { ...admission.caller, apiVersion }
    call.caller = caller
    call.versionHeaders = versions.headers(apiVersion)
    try {
      return obstacle(admission, scope) ?? versions.problem(call.request) ?? (await work(caller, call, params))
    } catch (error) {
      if (isCallboardError(error, 'INSUFFICIENT_SCOPE') && scope !== undefined) return insufficient(scope)
      if (!isCallboardError(error, 'ACCOUNT_UNKNOWN') && !isCallboardError(error, 'UNAUTHENTICATED')) throw error
      // The key was deleted, perhaps with its account, or was revoked or expired after it was checked.
      call.windows = undefined
      call.caller = undefined
      call.versionHeaders = undefined
      return unauthenticated({ outcome: 'refused', credentials: 'invalid' }, realm)
    }
  }
}

function otherMethod(route: string, allow: string) {
  const options: Reply = { status: 204, body: null, headers: { allow } }
  const refused: Problem = {
    code: 'METHOD_NOT_ALLOWED',
    message: `This path allows only ${allow}.`,
    headers: { allow },
  }
  return (_request: IRequest, call: Call): Reply | Problem => {
    call.route = route
    return call.method === 'OPTIONS' ? options : refused
  }
}
