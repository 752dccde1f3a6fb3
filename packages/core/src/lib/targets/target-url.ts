import { type AddressPolicy, isLoopback, type ReadAddressPolicy, readAddressPolicy } from './address-policy.ts'
import { type IpAddress, parseIpAddress } from './ip-address.ts'

/** Longest `targetUrl`, in characters (code points). */
export const TARGET_URL_MAX_LENGTH = 2_048

/** The one message for every `targetUrl` that is refused; which rule refused it is not told to callers. */
export const TARGET_URL_MESSAGE: string =
  'targetUrl must be a public HTTPS address: send an https:// URL with a public domain name, an allowed port, ' +
  'no user name or password, and no #fragment.'

/** Where a delivery goes, taken apart. What is connected to is this, never the text again. */
export interface TargetUrl {
  readonly protocol: 'https:' | 'http:'
  /** For the look-up, the certificate and `Host`: lower case, punycode, no trailing dot, IPv6 without brackets. */
  readonly hostname: string
  /** True when `hostname` is an IP literal: it is never looked up, and a policy has allowed it. */
  readonly isAddress: boolean
  /** True when the policy names the host (`allowedHostNames`, `httpLoopbackHosts`): it may be known to this machine alone. */
  readonly isListed: boolean
  readonly port: number
  /** The request target: path and query. */
  readonly path: string
}

/** The rule that refused a `targetUrl`; for the platform's own log. */
export type TargetUrlRefusal =
  | 'not-a-string'
  | 'length'
  | 'characters'
  | 'scheme'
  | 'credentials'
  | 'fragment'
  | 'unparsable'
  | 'address'
  | 'host-name'
  | 'internal-name'
  | 'port'

export type ParsedTargetUrl =
  | { readonly ok: true; readonly url: TargetUrl; readonly normalized: string }
  | { readonly ok: false; readonly reason: TargetUrlRefusal; readonly message: string }

/** Control characters (C0, DEL, C1), the space, the backslash (a slash to browsers only), and lone surrogates. */
const FORBIDDEN = /[\p{Cc}\p{Cs} \\]/u
/** Both slashes and something after them: WHATWG would also take `https:host`, `https:/host` and `https:///host`. */
const SCHEME = /^(https?:)\/\/(?=[^/])/i
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
/** Names that never leave a machine or a network: RFC 6761, 6762, 7686, 8375, and what clouds and clusters use. */
const INTERNAL = ['localhost', 'local', 'internal', 'localdomain', 'home.arpa', 'svc', 'cluster.local', 'onion']

/**
 * Judges a `targetUrl` by every rule that needs no look-up; the subscription endpoint and delivery share it.
 * Addresses are judged later, at every connect (`judgeAddress`).
 *
 * `normalized` is for the subscription's identity alone, and equals what would be sent: scheme and host in lower case,
 * the host in punycode without a trailing dot, the default port and an empty query (`?`) dropped, an empty path as
 * `/`, dot segments resolved, characters outside ASCII escaped. The case of the path, existing escapes, a trailing
 * slash and the order of the query are kept, for they may matter to the receiver. Escaping can make it twelve times
 * as long as the input: index a digest of it.
 *
 * An `@` before the first `/` counts as user info even inside a query (`https://a.example?@b.example`), because
 * parsers disagree on which host that names.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a policy that `assertAddressPolicy` refuses.
 */
export function parseTargetUrl(input: unknown, policy: AddressPolicy = {}): ParsedTargetUrl {
  if (typeof input !== 'string') return refused('not-a-string')
  if (input.length > 2 * TARGET_URL_MAX_LENGTH || [...input].length > TARGET_URL_MAX_LENGTH) return refused('length')
  if (FORBIDDEN.test(input)) return refused('characters')
  const scheme = SCHEME.exec(input)
  if (scheme === null) return refused('scheme')
  if (input.slice(scheme[0].length).split('/', 1)[0]?.includes('@')) return refused('credentials')
  if (input.includes('#')) return refused('fragment')
  if (!URL.canParse(input)) return refused('unparsable')
  const parsed = new URL(input)

  const protocol = parsed.protocol === 'http:' ? 'http:' : 'https:'
  const hostname = parsed.hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1')
  const rules = readAddressPolicy(policy)
  if (protocol === 'http:' && !rules.allowsHttp(hostname)) return refused('scheme')
  if (rules.refusesName(hostname)) return refused('internal-name')
  const address = parseIpAddress(hostname)
  const refusal = address === undefined ? judgeName(hostname, protocol, rules) : judgeLiteral(address, protocol, rules)
  if (refusal !== undefined) return refused(refusal)

  const port = parsed.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(parsed.port)
  if (!rules.allowsPort(port)) return refused('port')
  const path = parsed.pathname + parsed.search
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  const normalized = `${protocol}//${host}${parsed.port === '' ? '' : `:${parsed.port}`}${path}`
  const isListed = rules.allowsName(hostname) || protocol === 'http:'
  return { ok: true, url: { protocol, hostname, isAddress: address !== undefined, isListed, port, path }, normalized }
}

const refused = (reason: TargetUrlRefusal): ParsedTargetUrl => ({ ok: false, reason, message: TARGET_URL_MESSAGE })

/** A literal needs the platform's word: a listed block, or, for `http:`, its being loopback; never a refused one. */
function judgeLiteral(
  address: IpAddress,
  protocol: TargetUrl['protocol'],
  rules: ReadAddressPolicy,
): TargetUrlRefusal | undefined {
  const allowed = protocol === 'http:' ? isLoopback(address) : rules.lists(address)
  return allowed && !rules.refuses(address) ? undefined : 'address'
}

function judgeName(
  name: string,
  protocol: TargetUrl['protocol'],
  rules: ReadAddressPolicy,
): TargetUrlRefusal | undefined {
  const labels = name.split('.')
  if (name.length > 253 || !labels.every((label) => LABEL.test(label))) return 'host-name'
  if (protocol === 'http:' || rules.allowsName(name)) return undefined
  if (labels.length < 2) return 'host-name'
  return INTERNAL.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)) ? 'internal-name' : undefined
}
