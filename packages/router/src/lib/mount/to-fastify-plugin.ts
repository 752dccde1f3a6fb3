import type { Router } from '../router.ts'
import { answer, headersOf, type NodeRequest } from './node-request.ts'

/** The part of a Fastify reply that is used. */
interface FastifyReply {
  code(status: number): unknown
  headers(headers: Record<string, string | string[]>): unknown
  send(body: string): unknown
}

/** The part of a Fastify instance that is used; a type test pins it to the real one. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    parser: (request: never, body: never, done: (error: Error | null) => void) => void,
  ): void
  all(path: string, handler: (request: { readonly raw: NodeRequest }, reply: FastifyReply) => Promise<unknown>): unknown
}

/** What `app.register` takes. */
export type FastifyPlugin = (app: FastifyScope) => Promise<void>

/**
 * Mounts a router in Fastify, with a `prefix` that is the router's `basePath`. Bodies under it are the router's own to read:
 * Fastify's parsers would refuse what the API takes, such as a `DELETE` that says it is JSON.
 *
 * @param paths what is the router's, below the prefix; `/v1/*` and `/openapi.json` by default.
 * @example
 * app.register(toFastifyPlugin(router))
 * app.register(toFastifyPlugin(createRouter(callboard, { basePath: '/api' })), { prefix: '/api' })
 */
export function toFastifyPlugin(
  router: Pick<Router, 'fetch'>,
  { paths = ['/v1/*', '/openapi.json'] }: { readonly paths?: readonly string[] | undefined } = {},
): FastifyPlugin {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const path of paths)
      app.all(path, async ({ raw }, reply) => {
        const response = await answer(router, raw)
        reply.code(response.status)
        reply.headers(headersOf(response))
        return reply.send(await response.text())
      })
  }
}
