import type { Agent } from 'node:http'
import type { Duplex } from 'node:stream'

export interface IdleSocketLimits {
  /** Idle sockets over all targets. */
  readonly total: number
  /** A connection older than this, in milliseconds, is not kept after its request. */
  readonly lifeMs: number
}

/** What comes on a connection that nobody has asked anything; Deno 2.9 would take it for the next request's answer. */
function destroyOnData(this: Duplex): void {
  this.destroy()
}

/**
 * Bounds what an agent keeps beyond its own `maxFreeSockets` (per target) and `timeout` (idle time): a connection's
 * whole life, so that a changed DNS answer is met within it, and the number of idle ones over all targets. When that
 * is reached the longest unused target gives way.
 * A target that speaks unasked on an idle connection loses it.
 *
 * `ageOf` gives milliseconds since the connection's address was verified; `undefined`, never verified, is not kept.
 */
export function limitIdleSockets(
  agent: Agent,
  { total, lifeMs }: IdleSocketLimits,
  ageOf: (socket: Duplex) => number | undefined,
): void {
  // The agent's own method does more than its documentation says: without it Node 24 and Bun 1.4 reset the next request.
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent)
  // In the order in which they were last used.
  const idle = new Set<Duplex>()
  const known = new WeakSet<Duplex>()
  agent.keepSocketAlive = (socket) => {
    const age = ageOf(socket)
    if (total === 0 || age === undefined || age > lifeMs) return false
    if (!known.has(socket)) {
      known.add(socket)
      socket.once('close', () => idle.delete(socket))
    }
    const [longestUnused] = idle
    if (idle.size >= total && longestUnused !== undefined) {
      idle.delete(longestUnused)
      longestUnused.destroy()
    }
    idle.add(socket)
    socket.on('data', destroyOnData)
    return keep(socket)
  }
  const reuse: typeof agent.reuseSocket = agent.reuseSocket.bind(agent)
  agent.reuseSocket = (socket, request) => {
    idle.delete(socket)
    socket.off('data', destroyOnData)
    reuse(socket, request)
  }
}
