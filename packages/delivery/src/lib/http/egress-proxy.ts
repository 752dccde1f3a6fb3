import { CallboardError } from '@callboard/core'

/**
 * A proxy that every delivery leaves through: smokescreen, or the only way out of a company's network. It is told the
 * target's name (`CONNECT host:port`) and looks it up itself, so the proxy has to judge the addresses; see the README.
 */
export interface EgressProxy {
  /** `http://host:port`, or `https://host:port` to speak TLS with the proxy itself; nothing else in it. */
  readonly url: string
  /** Sent to the proxy alone as `proxy-authorization`, such as `Basic …` or `Bearer …`. None by default. */
  readonly authorization?: string | undefined
}

/** The option, taken apart. */
export interface ReadEgressProxy {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  readonly authorization: string | undefined
}

/**
 * Takes the option apart. The error never repeats a refused value: people put passwords into proxy URLs.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a URL that is not a proxy's, or a value that no header can have.
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
  url: 'http://host:port or https://host:port; what the proxy asks for goes into egressProxy.authorization',
  authorization: 'the value of a proxy-authorization header in printable ASCII',
}

const invalid = (option: keyof typeof WANTED): CallboardError =>
  new CallboardError('CONFIGURATION_INVALID', `egressProxy.${option} must be ${WANTED[option]}.`)
