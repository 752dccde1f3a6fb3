import type { Router } from '../router.ts'
import { answer, headersOf, type NodeRequest } from './node-request.ts'
import { clientGone, type NodeResponse, streamOf, writeStream } from './node-response.ts'

/** A request listener for Node's built-in HTTP server, Express and Connect. It never rejects. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>

/**
 * Mounts a router in Node's built-in HTTP server, Express or Connect. In Express and Connect, it works both before and
 * after a JSON body parser.
 *
 * @example
 * app.use('/v1', toNodeHandler(router)) // Express
 * createServer(toNodeHandler(router)).listen(8787) // node:http
 */
export function toNodeHandler(router: Pick<Router, 'fetch'>): NodeHandler {
  return async (incoming, outgoing) => {
    const gone = clientGone(outgoing)
    const response = await answer(router, incoming, gone)
    outgoing.statusCode = response.status
    for (const [name, value] of Object.entries(headersOf(response))) outgoing.setHeader(name, value)
    const stream = streamOf(response)
    if (stream === undefined) outgoing.end(await response.text())
    else await writeStream(stream, outgoing, gone)
  }
}
