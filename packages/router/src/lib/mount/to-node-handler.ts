import type { Router } from '../router.ts'
import { answer, headersOf, type NodeRequest } from './node-request.ts'

/** The parts of a Node response that the handler uses. A type test checks that the real type fits. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string | readonly string[]): unknown
  end(body: string): unknown
}

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
    const response = await answer(router, incoming)
    outgoing.statusCode = response.status
    for (const [name, value] of Object.entries(headersOf(response))) outgoing.setHeader(name, value)
    outgoing.end(await response.text())
  }
}
