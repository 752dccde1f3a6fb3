import { connect, type Socket } from 'node:net'
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls'
import type { AttemptEnd } from './attempt-end.ts'
import type { ReadEgressProxy } from './egress-proxy.ts'
import { causeOfConnecting } from './failure-cause.ts'
import type { NoConnection } from './transport.ts'
import { handshakeFailure, verifiedTls } from './verified-tls.ts'

/** The maximum size of the head of the response to CONNECT, in bytes. */
const MAX_HEAD_BYTES = 16_384
/** Statuses with which a proxy refuses a target. Smokescreen answers 407 if its rules deny the target. */
const DENIED: readonly number[] = [403, 407]

export interface TunnelOptions {
  readonly proxy: ReadEgressProxy
  /** The target's host: the proxy connects to it, and the certificate must name it. */
  readonly host: string
  readonly port: number
  /** The certificate authorities to trust for the target and, if the proxy speaks TLS, for the proxy. */
  readonly secureContext: SecureContext
  /** Time limit for everything together: connecting to the proxy, its response, and TLS with the target. */
  readonly timeoutMs: number
  readonly end: AttemptEnd
}

/** Thrown when a tunnel could not be opened. The attempts log stores `reason`. */
export class TunnelError extends Error {
  readonly reason: NoConnection['reason']
  override readonly cause: NoConnection['cause']
  constructor({ reason, cause }: NoConnection) {
    super(`Could not open a tunnel through the egress proxy (${reason}).`)
    this.reason = reason
    this.cause = cause
  }
}

/**
 * Opens a TLS connection to the target through the proxy: the states `connecting` and `securing` in the diagram at
 * `Connection` (connection.ts). The certificate and its name are verified end to end, so the handshake fails if the
 * proxy connects to another server. On failure, rejects with a {@link TunnelError} and leaves no connection open.
 */
export function openTunnel(options: TunnelOptions): Promise<TLSSocket> {
  const { proxy, host, port, secureContext, timeoutMs, end } = options
  return new Promise((resolve, reject) => {
    const open: Socket[] = []
    let reason: NoConnection['reason'] = 'connect'
    /** Until the proxy has accepted the connection, the target is not involved. */
    let cause: NoConnection['cause'] = 'proxy'
    const fail = (error?: unknown): void => {
      clearTimeout(timer)
      for (const socket of open) socket.destroy()
      const local = cause && causeOfConnecting(error, proxy.host) === 'resources' ? 'resources' : cause
      reject(new TunnelError({ reason, cause: local }))
    }
    const closed = (): void => fail()
    const watch = <S extends Socket>(socket: S): S => {
      open.push(socket)
      return socket.on('error', fail).on('close', closed)
    }
    const timer = setTimeout(() => fail(), timeoutMs)
    end.onEnd(closed)

    const at = { host: proxy.host, port: proxy.port }
    const outerTerms = proxy.secure ? verifiedTls(proxy.host, secureContext) : undefined
    const outer = watch(outerTerms === undefined ? connect(at) : tlsConnect({ ...at, ...outerTerms.options }))
    outer.once(outerTerms === undefined ? 'connect' : 'secureConnect', () => {
      if (outerTerms?.isVerified() === false || end.reason() !== undefined) return fail()
      cause = undefined
      outer.write(connectHead(host, port, proxy))
    })

    let head = ''
    outer.on('data', function onData(chunk: Uint8Array) {
      head += Buffer.from(chunk).toString('latin1')
      const headEnd = head.indexOf('\r\n\r\n')
      if (headEnd < 0 && head.length <= MAX_HEAD_BYTES) return
      outer.off('data', onData)
      const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r\n)/.exec(head)?.[1])
      if (DENIED.includes(status)) reason = 'blocked'
      // A TLS server never sends first, so bytes after the head come from the proxy and not from the target.
      if (!(status >= 200 && status <= 299) || headEnd + 4 !== head.length) return fail()
      outer.pause()
      reason = 'tls'
      const terms = verifiedTls(host, secureContext)
      const inner = tlsConnect({ socket: outer, host, ...terms.options })
      inner.once('error', (error) => {
        reason = handshakeFailure(error)
      })
      watch(inner).once('secureConnect', () => {
        if (!terms.isVerified()) {
          reason = 'certificate_name'
          return fail()
        }
        clearTimeout(timer)
        for (const socket of open) socket.off('close', closed)
        // Some runtimes leave the socket to the proxy open when the TLS socket inside it closes.
        inner.once('close', () => outer.destroy())
        resolve(inner)
      })
    })
  })
}

function connectHead(host: string, port: number, { authorization }: ReadEgressProxy): string {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
