import { CallboardError } from '../errors.ts'
import { blockContains, type IpAddress, type IpBlock, parseIpAddress, parseIpBlock } from './ip-address.ts'

/**
 * Options that extend or restrict the allowed targets. By default, targets must be host names with public addresses,
 * reached over HTTPS on port 443 or 8443. No option is read from the environment.
 *
 * The object is read only once, so pass a new object to change the policy.
 *
 * @example Receivers on the developer's own machine, on any port, by name and by address:
 * ```ts
 * const addressPolicy = {
 *   allowedHostNames: ['localhost'],
 *   allowedCidrs: ['127.0.0.0/8', '::1/128'],
 *   allowedPorts: 'any',
 * } satisfies AddressPolicy
 * ```
 */
export interface AddressPolicy {
  /**
   * Address blocks that are allowed in addition to public addresses, such as `10.1.0.0/16` or `fd00::/8`. The host bits
   * must be zero. Over `https:`, an IP literal is a valid target only within one of these blocks. None by default.
   */
  readonly allowedCidrs?: readonly string[] | undefined
  /** Ports that a target may use, or `'any'`; 443 and 8443 by default. */
  readonly allowedPorts?: readonly number[] | 'any' | undefined
  /**
   * Names to allow that are otherwise refused, such as `localhost` or a name without a dot. Each entry is an exact
   * name, or a pattern such as `*.svc` for all names under `svc`. Their addresses are still checked, so a name with a
   * private address also needs `allowedCidrs`.
   */
  readonly allowedHostNames?: readonly string[] | undefined
  /**
   * Names or IP literals that may be reached over plain `http:`. They must resolve to loopback addresses, which need
   * not be in `allowedCidrs`. The port must be in `allowedPorts`.
   */
  readonly httpLoopbackHosts?: readonly string[] | undefined
  /**
   * For networks that reach IPv4 through NAT64 (RFC 6052): `true` for the well-known prefix `64:ff9b::/96`, or the
   * network's own /96 prefix. The embedded IPv4 address is checked. Off by default.
   */
  readonly nat64?: boolean | string | undefined
  /**
   * Address blocks that are refused in addition to non-public addresses. Needed if machines of the platform or of its
   * provider have public addresses. Takes precedence over every other option. None by default.
   */
  readonly refusedCidrs?: readonly string[] | undefined
  /**
   * Hosts that may never be targets, such as the platform's own hosts. Each is an exact name, or a pattern such as
   * `*.example.com` for all names under `example.com`. Takes precedence over every other option. None by default.
   */
  readonly refusedHostNames?: readonly string[] | undefined
}

const blocks = (...list: string[]): readonly IpBlock[] => list.map((text) => requireBlock(text, 'block'))

const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

const DEFAULT_PORTS: readonly number[] = [443, 8443]

/**
 * IPv4 blocks that are not public: the IANA special-purpose registry, multicast, class E, and 168.63.129.16, which
 * every Azure machine can reach.
 */
// biome-ignore format: one block per line would hide the table
const REFUSED_V4 = blocks(
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24',
  '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32',
)
/** The only IPv6 space allocated to the public internet. */
const ALLOWED_V6 = blocks('2000::/3')
/** Blocks within `ALLOWED_V6` that are refused: IETF protocols (Teredo, ORCHID), documentation, 6to4, AS112. */
const REFUSED_V6 = blocks('2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20')
const LOOPBACK = blocks('127.0.0.0/8', '::1/128')
const WELL_KNOWN_NAT64 = '64:ff9b::/96'

const inside = (list: readonly IpBlock[], address: IpAddress): boolean =>
  list.some((block) => blockContains(block, address))

/**
 * Whether a connection may be made to an address that a resolver or socket returned. An address that cannot be parsed
 * is refused. Over `http:`, only loopback addresses are allowed; `parseTargetUrl` has already checked that
 * `httpLoopbackHosts` names the host.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a policy that {@link assertAddressPolicy} refuses.
 */
export function judgeAddress(
  address: string,
  policy: AddressPolicy = {},
  protocol: 'https:' | 'http:' = 'https:',
): boolean {
  const { lists, refuses, nat64 } = readAddressPolicy(policy)
  const parsed = parseIpAddress(address)
  if (parsed === undefined || refuses(parsed)) return false
  if (protocol === 'http:') return isLoopback(parsed)
  if (lists(parsed)) return true
  const embedded = embeddedIn(nat64, parsed)
  return embedded === undefined ? isPublic(parsed) : lists(embedded) || isPublic(embedded)
}

/** True for 127.0.0.0/8 and ::1. */
export function isLoopback(address: IpAddress): boolean {
  return inside(LOOPBACK, address)
}

/**
 * Throws for a policy with an invalid entry, so that a typo cannot silently change what is allowed. Call it where the
 * policy is configured.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` naming the option and the index of the entry.
 */
export function assertAddressPolicy(policy: AddressPolicy): void {
  readAddressPolicy(policy)
}

/** The parsed policy, which the rules in this file and in `parseTargetUrl` use. */
export interface ReadAddressPolicy {
  readonly nat64: IpBlock | undefined
  /** Whether the address is within one of `allowedCidrs`. */
  lists(address: IpAddress): boolean
  /** Whether the address, or the IPv4 address embedded in it by NAT64, is within one of `refusedCidrs`. */
  refuses(address: IpAddress): boolean
  allowsPort(port: number): boolean
  allowsName(host: string): boolean
  allowsHttp(host: string): boolean
  refusesName(host: string): boolean
}

const read = new WeakMap<AddressPolicy, ReadAddressPolicy>()

/** Parses a policy. The result is cached for each policy object. */
export function readAddressPolicy(policy: AddressPolicy): ReadAddressPolicy {
  const known = read.get(policy)
  if (known !== undefined) return known
  const ports = policy.allowedPorts ?? DEFAULT_PORTS
  if (ports !== 'any') ports.forEach(requirePort)
  const nat64 = requireNat64(policy.nat64 ?? false)
  const refused = blockMatcher(policy.refusedCidrs, 'refusedCidrs')
  const compiled: ReadAddressPolicy = {
    lists: blockMatcher(policy.allowedCidrs, 'allowedCidrs'),
    refuses(address) {
      const embedded = embeddedIn(nat64, address)
      return refused(address) || (embedded !== undefined && refused(embedded))
    },
    nat64,
    allowsPort: ports === 'any' ? (port) => port > 0 : (port) => ports.includes(port),
    allowsName: nameMatcher(policy.allowedHostNames, 'allowedHostNames'),
    allowsHttp: nameMatcher(policy.httpLoopbackHosts, 'httpLoopbackHosts'),
    refusesName: nameMatcher(policy.refusedHostNames, 'refusedHostNames'),
  }
  read.set(policy, compiled)
  return compiled
}

function embeddedIn(nat64: IpBlock | undefined, address: IpAddress): IpAddress | undefined {
  if (nat64 === undefined || !blockContains(nat64, address)) return undefined
  return { family: 4, value: address.value & 0xffffffffn }
}

function isPublic(address: IpAddress): boolean {
  if (address.family === 4) return !inside(REFUSED_V4, address)
  return inside(ALLOWED_V6, address) && !inside(REFUSED_V6, address)
}

function blockMatcher(texts: readonly string[] = [], option: string): (address: IpAddress) => boolean {
  const list = texts.map((text, index) => requireBlock(text, `${option}[${index}]`))
  return (address) => inside(list, address)
}

function nameMatcher(names: readonly string[] = [], option: string): (host: string) => boolean {
  const exact = new Set<string>()
  const beneath: string[] = []
  for (const [index, name] of names.entries()) {
    const lower = name.toLowerCase()
    if (!(lower.startsWith('*.') ? HOST_NAME.test(lower.slice(2)) : isExactHost(lower))) {
      throw invalid(`${option}[${index}]`, 'a host name in ASCII (punycode), with no port and no trailing dot')
    }
    if (lower.startsWith('*.')) beneath.push(lower.slice(1))
    else exact.add(lower)
  }
  return (host) => exact.has(host) || beneath.some((suffix) => host.endsWith(suffix))
}

/** Whether a lower-case text is an ASCII host name without a trailing dot, or an IP literal without brackets. */
export function isExactHost(text: string): boolean {
  return parseIpAddress(text) !== undefined || HOST_NAME.test(text)
}

function requireNat64(nat64: boolean | string): IpBlock | undefined {
  if (nat64 === false) return undefined
  const block = requireBlock(nat64 === true ? WELL_KNOWN_NAT64 : nat64, 'nat64')
  if (block.family !== 6 || block.bits !== 96) throw invalid('nat64', 'true or an IPv6 prefix of 96 bits')
  return block
}

function requireBlock(text: string, option: string): IpBlock {
  const block = parseIpBlock(text)
  if (block === undefined) throw invalid(option, 'a CIDR block such as 10.1.0.0/16 or fd00::/8, with zero host bits')
  return block
}

function requirePort(port: number, index: number): void {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw invalid(`allowedPorts[${index}]`, 'a port from 1 to 65535')
}

const invalid = (option: string, wanted: string): CallboardError =>
  new CallboardError('CONFIGURATION_INVALID', `addressPolicy.${option} must be ${wanted}.`)
