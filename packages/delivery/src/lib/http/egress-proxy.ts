import { CallboardError } from '@callboard/core'

/**
 * A proxy through which all requests are sent, such as smokescreen or the proxy of a company's network. It looks up the
 * target's name (`CONNECT host:port`), so the proxy and not the worker must check the addresses; see the README.
 */
export interface EgressProxy {
  /**
   * `http://host:port`, or `https://host:port` to speak TLS with the proxy. It must not have a path, query or
   * credentials.
   */
  readonly url: string
  /** The `proxy-authorization` header, such as `Basic …` or `Bearer …`; never sent to a target. None by default. */
  readonly authorization?: string | undefined
}

/** The parsed option `egressProxy`. */
export interface ReadEgressProxy {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  readonly authorization: string | undefined
}

/**
 * Parses the `egressProxy` option. The error never repeats a refused value, because people put passwords into proxy
 * URLs.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for an invalid proxy URL or header value.
 */
export function readEgressProxy({ url, authorization }: EgressProxy): ReadEgressProxy {
  if (!URL.canParse(url)) throw invalid('url')
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw invalid('url')
  if (url.includes('@') || username + password + search + hash !== '' || pathname !== '/') throw invalid('url')
  if (authorization !== undefined && !/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(authorization))
    throw invalid('authorization')
  const secure = protocol === 'https:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { secure, host, port: port === '' ? (secure ? 443 : 80) : Number(port), authorization }
}

const WANTED = {
  url: 'http://host:port or https://host:port, without credentials; put those in egressProxy.authorization',
  authorization: 'a proxy-authorization header value in printable ASCII',
}

const invalid = (option: keyof typeof WANTED): CallboardError =>
  new CallboardError('CONFIGURATION_INVALID', `egressProxy.${option} must be ${WANTED[option]}.`)
