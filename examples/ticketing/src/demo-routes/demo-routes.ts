import type { Callboard } from '@callboard/core'
import type { TicketingCatalog } from '../catalogue/catalog.ts'
import type { Shop } from '../shop.ts'
import { checkInInput, saleInput } from '../shop-inputs.ts'
import { createAdminCheck } from './admin-token.ts'
import { readBody } from './body.ts'
import { eventInput, publishEvent } from './events.ts'
import { type DemoKeys, keyInput, rotateInput } from './keys.ts'
import { DemoProblem, problemOf, respondWith } from './problem.ts'

export interface DemoRoutesOptions {
  readonly callboard: Pick<Callboard<TicketingCatalog>, 'publish'>
  readonly shop: Shop
  readonly keys: DemoKeys
  /** The account to publish an event for if the request names no account. */
  readonly demoAccount: string
  readonly adminToken: string
  /** Fixes the automation that fails on purpose. */
  readonly mendNewsletter: () => void
  readonly onError: (error: unknown, context: { readonly requestId: string }) => void
}

type Handler = (request: Request, id: string) => Promise<Response>

const json = (body: unknown, status = 201): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } })

/** The demo's own routes, `/demo/*`, for the holder of the admin token. Never mount routes like these in production. */
export function createDemoRoutes(options: DemoRoutesOptions): (request: Request) => Promise<Response> {
  const { callboard, shop, keys, demoAccount, onError } = options
  const isAdmin = createAdminCheck(options.adminToken)

  const routes: readonly [method: string, path: RegExp, handler: Handler][] = [
    ['POST', /^\/demo\/orders$/, async (request) => json(await shop.sell(await readBody(request, saleInput)))],
    ['POST', /^\/demo\/check-ins$/, async (request) => json(await shop.checkIn(await readBody(request, checkInInput)))],
    [
      'POST',
      /^\/demo\/events$/,
      async (request) => json(await publishEvent(callboard, demoAccount, await readBody(request, eventInput))),
    ],
    [
      'POST',
      /^\/demo\/automations\/newsletter\/mend$/,
      async () => {
        options.mendNewsletter()
        return new Response(null, { status: 204 })
      },
    ],
    ['POST', /^\/demo\/keys$/, async (request) => shown(await keys.issue(await readBody(request, keyInput)))],
    [
      'POST',
      /^\/demo\/keys\/([^/]+)\/rotate$/,
      async (request, id) => shown(await keys.rotate(id, await readBody(request, rotateInput))),
    ],
    [
      'DELETE',
      /^\/demo\/keys\/([^/]+)$/,
      async (_request, id) => {
        await keys.revoke(id)
        return new Response(null, { status: 204 })
      },
    ],
  ]

  return async (request) => {
    const { pathname } = new URL(request.url)
    try {
      const matching = routes.flatMap(([method, path, handler]) => {
        const match = path.exec(pathname)
        return match === null ? [] : [{ method, handler, id: match[1] ?? '' }]
      })
      if (matching.length === 0) throw new DemoProblem('NOT_FOUND', 'This demo route does not exist. Check the path.')
      const route = matching.find(({ method }) => method === request.method)
      if (route === undefined) {
        const allow = matching.map(({ method }) => method).join(', ')
        const problem = new DemoProblem('METHOD_NOT_ALLOWED', `This path accepts only ${allow}.`)
        return respondWith(problem, request, { allow }).response
      }
      if (!isAdmin(request))
        throw new DemoProblem(
          'UNAUTHENTICATED',
          'Send the admin token that the platform printed at the start: Authorization: Bearer <token>.',
        )
      return await route.handler(request, route.id)
    } catch (error) {
      const problem = problemOf(error)
      const { requestId, response } = respondWith(problem, request)
      if (problem.code === 'INTERNAL') onError(error, { requestId })
      return response
    }
  }
}

function shown({ id, token }: { readonly id: string; readonly token: string }): Response {
  return json({ id, key: token })
}
