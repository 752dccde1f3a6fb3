import type { Router } from '../router.ts'
import { answer, headersOf, type NodeRequest } from './node-request.ts'

/** The part of a response of Node's that is used; a type test pins it to the real one. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string | readonly string[]): unknown
  end(body: string): unknown
}

/** What Node's own server, Express and Connect take. It never rejects. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>

/**
 * Mounts a router in Node's own server, in Express or in Connect, before or behind a parser of JSON bodies.
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
