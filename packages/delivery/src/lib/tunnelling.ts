import type { Agent } from 'node:https'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { openTunnel, TunnelError, type TunnelOptions } from './tunnel.ts'

export interface TunnellingOptions extends Omit<TunnelOptions, 'host' | 'port'> {
  /** Called with each connection before a request is sent on it. */
  readonly onOpen: (socket: Socket) => void
}

/**
 * Makes an agent open every connection through the proxy. It keeps and counts them as its own, per target. A runtime
 * that does not ask the agent for connections is found out before the worker starts (`proveTunnelling`).
 */
export function tunnelThrough(agent: Agent, { onOpen, ...options }: TunnellingOptions): void {
  agent.createConnection = ({ host, port }, callback) => {
    openTunnel({ ...options, host: host ?? '', port: Number(port) }).then(
      (socket) => {
        onOpen(socket)
        callback?.(null, socket)
      },
      // The type wants a stream beside an error; nobody looks at it.
      (error: unknown) => callback?.(error instanceof TunnelError ? error : new TunnelError('connect'), new Duplex()),
    )
    return undefined
  }
}
