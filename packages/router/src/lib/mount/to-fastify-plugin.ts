import type { Router } from '../router.ts'
import { answer, headersOf, type NodeRequest } from './node-request.ts'
import { clientGone, closeAfterwards, type NodeResponse, streamOf } from './node-response.ts'

/** The parts of a Fastify reply that the plugin uses. */
interface FastifyReply {
  readonly raw: Pick<NodeResponse, 'once' | 'shouldKeepAlive' | 'writableEnded'>
  code(status: number): unknown
  headers(headers: Record<string, string | string[]>): unknown
  send(body: string | ReadableStream<Uint8Array>): unknown
}

/** The parts of a Fastify instance that the plugin uses. A type test checks that the real type fits. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    parser: (request: never, body: never, done: (error: Error | null) => void) => void,
  ): void
  all(path: string, handler: (request: { readonly raw: NodeRequest }, reply: FastifyReply) => Promise<unknown>): unknown
}

/** A plugin for `app.register`. */
export type FastifyPlugin = (app: FastifyScope) => Promise<void>

/**
 * Mounts a router in Fastify. The plugin's `prefix` must equal the router's `basePath`. The router reads bodies itself,
 * because Fastify's parsers would refuse valid requests, such as a `DELETE` with a JSON content type and no body.
 *
 * @param paths the router's paths below the prefix; `/v1/*` and `/openapi.json` by default.
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
        const response = await answer(router, raw, clientGone(reply.raw))
        reply.code(response.status)
        reply.headers(headersOf(response))
        const stream = streamOf(response)
        if (stream !== undefined) closeAfterwards(reply.raw)
        return reply.send(stream ?? (await response.text()))
      })
  }
}
