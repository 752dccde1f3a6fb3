import { CallboardError, createId } from '@callboard/core'
import { type AnyCallboard, engineOf, type TestSender } from '@callboard/core/engine'
import { isPlainPath, pathPattern, requestLine } from '@callboard/handler'
import { type IRequest, IttyRouter, type RouteEntry } from 'itty-router'
import type { Answer, Section } from './answer.ts'
import { createAssets } from './assets/create-assets.ts'
import { assertBrand, type DashboardBrand } from './brand.ts'
import type { Call } from './call.ts'
import { SECTIONS } from './components/layout.ts'
import { createCall } from './create-call.ts'
import type { Describe } from './event-type-texts.ts'
import { isForged } from './forged-request.ts'
import { problemPage } from './pages/problem-page.ts'
import { renderPage } from './render-page.ts'
import { type Route, routes } from './routes.ts'
import { secured } from './security-headers.ts'
import { type DashboardTexts, english } from './texts/english.ts'
import { type DashboardTheme, themeStyle } from './theme.ts'
import type { DashboardViewer } from './viewer.ts'

export interface DashboardOptions {
  /**
   * Returns the viewer's account and permissions, or a response of your own, such as a 403 or a redirect to the sign-in
   * page. Called for every request except those for the script and the styles.
   */
  readonly authorize: (request: Request) => DashboardViewer | Response | Promise<DashboardViewer | Response>
  /** The path where the dashboard is mounted; `/dashboard` by default. */
  readonly basePath?: string | undefined
  readonly theme?: DashboardTheme | undefined
  /** Your product's name, logo and links; by default, the pages name no product. */
  readonly brand?: DashboardBrand | undefined
  /**
   * All texts, which also set the language of dates and numbers; `english` by default. `@callboard/dashboard/german`
   * has them in German. To change some of the texts, spread `english` or `german`: `{ ...english, language: 'en-GB' }`.
   */
  readonly texts?: DashboardTexts | undefined
  /**
   * Sites that may show the dashboard in a frame, as `frame-ancestors` sources (`'self'`, `https://app.example.com`);
   * none by default.
   */
  readonly frameAncestors?: readonly string[] | undefined
  /**
   * Returns the description for an event type's `descriptionKey` as plain text, for example in the language of `texts`;
   * or its title, its description and the name of its family. What is missing is shown as the catalogue has it.
   */
  readonly describe?: Describe | undefined
  /**
   * The sender of test events, from `createTestSender` of `@callboard/delivery`. Without it, test events are not
   * offered.
   */
  readonly tests?: Pick<TestSender, 'send'> | undefined
}

export interface Dashboard {
  /** Responds to a request and never rejects. It does not use `this`, so it can be passed on as a plain function. */
  readonly fetch: (request: Request) => Promise<Response>
}

/**
 * Creates the dashboard in which accounts see their events and deliveries. Its fetch handler keeps no state and no
 * sessions, and its pages load nothing from other hosts.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for invalid options.
 * @example
 * const { fetch } = createDashboard(callboard, {
 *   authorize: async (request) => {
 *     const session = await sessionOf(request)
 *     if (session === undefined) return Response.redirect('https://app.example.com/sign-in')
 *     return { accountId: session.account, id: session.user, can: ['webhooks.read', 'webhooks.write', 'events.read'] }
 *   },
 * })
 */
export function createDashboard(
  callboard: AnyCallboard,
  {
    authorize,
    basePath = '/dashboard',
    theme = {},
    brand,
    texts = english,
    frameAncestors = [],
    describe,
    tests,
  }: DashboardOptions,
): Dashboard {
  if (!isPlainPath(basePath))
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      'basePath must be a path such as /webhooks, without a trailing slash.',
    )
  if (!isLanguage(texts.language))
    throw new CallboardError('CONFIGURATION_INVALID', 'texts.language must be a BCP 47 tag such as en-GB.')
  if (brand !== undefined) assertBrand(brand)
  const { hooks } = engineOf(callboard)
  const secure = secured(frameAncestors)
  const assets = createAssets(basePath, themeStyle(theme))
  const { fetch: match } = IttyRouter({ routes: table(basePath) })

  const answer = async (request: Request, call: Call): Promise<Response> => {
    let given: Answer
    try {
      given = (await match(requestLine(request), call)) ?? problemPage('NOT_FOUND', call)
    } catch (error) {
      given = problemPage(error, call)
    }
    return respond(given, call)
  }
  return {
    async fetch(request) {
      const requestId = createId('req')
      const asset = assets(request)
      if (asset !== undefined) return secure(asset)
      try {
        const viewer = await authorize(request)
        if (viewer instanceof Response) return viewer
        const call = createCall({ callboard, request, requestId, viewer, basePath, texts, brand, describe, tests })
        return secure(await answer(request, call))
      } catch (error) {
        hooks.onError(error, { requestId })
        return secure(
          new Response(`${texts.problems.unexpected.title}. ${texts.problems.reference} ${requestId}`, { status: 500 }),
        )
      }
    },
  }
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function table(basePath: string): RouteEntry[] {
  const home = (_request: IRequest, call: Call): Answer => ({ redirect: call.href(`/${startOf(call)}`) })
  return [
    ['GET', pathPattern(`${basePath}/?`), [home]],
    ...routes.map((route): RouteEntry => [route.method, pathPattern(basePath + route.path), [enter(route)]]),
  ]
}

/** The first section that the viewer may see. If there is none, it is the overview, whose page then refuses access. */
function startOf(call: Call): Section {
  return SECTIONS.find(({ needs }) => call.may(needs))?.section ?? 'overview'
}

/**
 * Refuses forged writes and viewers without the permission for the route. Runs the route's handler for all other
 * requests.
 */
function enter({ method, needs, answer }: Route) {
  return async ({ params }: IRequest, call: Call): Promise<Answer> => {
    if (method === 'POST' && isForged(call.request)) return problemPage('FORGED', call)
    if (!call.may(needs)) return problemPage('NOT_ALLOWED', call)
    return answer({ ...call, params: decoded(params) })
  }
}

function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeSegment(value)]))
}

/**
 * Decodes a path segment. A badly escaped segment is returned unchanged, and matches no id because ids need no
 * escaping.
 */
function decodeSegment(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function respond(answer: Answer, call: Call): Response {
  if ('redirect' in answer) return new Response(null, { status: 303, headers: { location: answer.redirect } })
  if ('json' in answer) return Response.json(answer.json, { status: answer.status ?? 200 })
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  const body = call.request.method === 'HEAD' ? null : renderPage(answer, call)
  return new Response(body, { status: answer.status ?? 200, headers })
}
