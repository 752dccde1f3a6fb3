import { type AddressPolicy, isLoopback, type ReadAddressPolicy, readAddressPolicy } from './address-policy.ts'
import { type IpAddress, parseIpAddress } from './ip-address.ts'
import { hostAndPort, hostName } from './target-host.ts'

/** Longest `targetUrl`, in characters (code points). */
export const TARGET_URL_MAX_LENGTH = 2_048

/** The only message for a refused `targetUrl`, so that callers do not learn which rule refused it. */
export const TARGET_URL_MESSAGE: string =
  'targetUrl must be a public HTTPS address: send an https:// URL with a public domain name, an allowed port, ' +
  'no user name or password, and no #fragment.'

/** The parsed target of a delivery. A connection uses only these fields and never parses the URL again. */
export interface TargetUrl {
  readonly protocol: 'https:' | 'http:'
  /**
   * The name for the DNS lookup, the certificate check and the `Host` header: lower case, punycode, no trailing dot,
   * IPv6 without brackets.
   */
  readonly hostname: string
  /** True when `hostname` is an IP literal that the policy allows; an IP literal needs no DNS lookup. */
  readonly isAddress: boolean
  /**
   * True when the policy names the host (`allowedHostNames`, `httpLoopbackHosts`). The operating system must look up
   * such a name, because the name might exist only on this machine.
   */
  readonly isListed: boolean
  readonly port: number
  /** The request target: path and query. */
  readonly path: string
}

/**
 * The rule that refused a `targetUrl`, for the platform's own developers. Do not show it to an account, which could
 * explore the platform's network with it.
 * - `not-a-string`, `length`: not a string of at most 2,048 characters.
 * - `characters`: contains a space, a control character, a backslash or broken Unicode.
 * - `scheme`: does not begin with `https://` and a host.
 * - `http`: uses plain `http:`, and the host is not in `httpLoopbackHosts`.
 * - `credentials`: contains an `@` before the path.
 * - `fragment`: contains a `#`.
 * - `unparsable`: is not a valid URL, for example because of its port.
 * - `refused-name`: the host is in `refusedHostNames`, or is the host of `publicUrl`.
 * - `refused-address`: the host is an IP address in `refusedCidrs`.
 * - `address`: the host is an IP address that is not in `allowedCidrs` or, over `http:`, not loopback.
 * - `host-name`: the host is not a valid DNS name.
 * - `single-label`: the host is a name without a dot, such as `localhost`, that is not in `allowedHostNames`.
 * - `internal-name`: the host is a name for internal use, such as `app.local`, that is not in `allowedHostNames`.
 * - `port`: the port is not in `allowedPorts`.
 */
export type TargetRule =
  | 'not-a-string'
  | 'length'
  | 'characters'
  | 'scheme'
  | 'http'
  | 'credentials'
  | 'fragment'
  | 'unparsable'
  | 'refused-name'
  | 'refused-address'
  | 'address'
  | 'host-name'
  | 'single-label'
  | 'internal-name'
  | 'port'

export type ParsedTargetUrl =
  | { readonly ok: true; readonly url: TargetUrl; readonly normalized: string }
  | { readonly ok: false; readonly rule: TargetRule; readonly message: string }

/**
 * Control characters (C0, DEL, C1), lone surrogates, the space, and the backslash, which only browsers read as a slash.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs} \\]/u
/** Requires two slashes and a host. WHATWG parsers also accept `https:host`, `https:/host` and `https:///host`. */
const SCHEME = /^(https?:)\/\/(?=[^/])/i
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
/**
 * Names that resolve only within a machine or network: the names of RFC 6761, 6762, 7686 and 8375, and names that
 * clouds and clusters use.
 */
const INTERNAL = ['localhost', 'local', 'internal', 'localdomain', 'home.arpa', 'svc', 'cluster.local', 'onion']

/**
 * Checks a `targetUrl` by every rule that needs no DNS lookup. Resolved addresses are checked whenever a connection is
 * made (`judgeAddress`).
 *
 * `normalized` is used only for the subscription's identity. It equals the URL that would be requested:
 * - Scheme and host are in lower case, and the host is in punycode without a trailing dot.
 * - The default port and an empty query (`?`) are dropped, an empty path is `/`, and dot segments are resolved.
 * - Characters outside ASCII are escaped, so the result can be twelve times as long as the input. Index a digest of it.
 * - The case of the path, existing escapes, a trailing slash and the order of the query parameters stay, because they
 *   may matter to the receiver.
 *
 * An `@` between `https://` and the next `/` counts as user info, even inside a query (`https://a.example?@b.example`),
 * because parsers disagree about the host of such a URL.
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
  const hostname = hostName(parsed)
  const rules = readAddressPolicy(policy)
  if (protocol === 'http:' && !rules.allowsHttp(hostname)) return refused('http')
  if (rules.refusesName(hostname)) return refused('refused-name')
  const address = parseIpAddress(hostname)
  const refusal = address === undefined ? judgeName(hostname, protocol, rules) : judgeLiteral(address, protocol, rules)
  if (refusal !== undefined) return refused(refusal)

  const port = parsed.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(parsed.port)
  if (!rules.allowsPort(port)) return refused('port')
  const path = parsed.pathname + parsed.search
  const normalized = `${protocol}//${hostAndPort(parsed)}${path}`
  const isListed = rules.allowsName(hostname) || protocol === 'http:'
  return { ok: true, url: { protocol, hostname, isAddress: address !== undefined, isListed, port, path }, normalized }
}

const refused = (rule: TargetRule): ParsedTargetUrl => ({ ok: false, rule, message: TARGET_URL_MESSAGE })

/** Allows an IP literal only within a listed block or, for `http:`, if it is loopback; never within a refused block. */
function judgeLiteral(
  address: IpAddress,
  protocol: TargetUrl['protocol'],
  rules: ReadAddressPolicy,
): TargetRule | undefined {
  if (rules.refuses(address)) return 'refused-address'
  const allowed = protocol === 'http:' ? isLoopback(address) : rules.lists(address)
  return allowed ? undefined : 'address'
}

function judgeName(name: string, protocol: TargetUrl['protocol'], rules: ReadAddressPolicy): TargetRule | undefined {
  const labels = name.split('.')
  if (name.length > 253 || !labels.every((label) => LABEL.test(label))) return 'host-name'
  if (protocol === 'http:' || rules.allowsName(name)) return undefined
  if (labels.length < 2) return 'single-label'
  return INTERNAL.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)) ? 'internal-name' : undefined
}
