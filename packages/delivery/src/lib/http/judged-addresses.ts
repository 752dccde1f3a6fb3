import { isIPv6 } from 'node:net'
import type { Resolve, ResolveContext } from './dns-resolver.ts'
import { causeOfLookup } from './failure-cause.ts'
import type { NoConnection } from './transport.ts'

/**
 * The maximum number of addresses of one family (IPv4 or IPv6) to connect to. A DNS answer can contain thousands, and a
 * worker that tried them all could be abused for port scans or floods.
 */
const ADDRESSES_PER_FAMILY = 4

export interface LookUpOptions extends ResolveContext {
  readonly resolve: Resolve
  /** Whether the address policy allows a connection to an address. */
  readonly judge: (address: string) => boolean
}

/**
 * Looks up a name once and returns the addresses to connect to, or the reason `blocked` if the policy refuses even one
 * of them. The name must not be looked up again for the connection, because a second answer could differ. IPv4 and IPv6
 * addresses alternate, so that an unreachable family delays the other as little as possible.
 */
export async function lookUpJudged(
  hostname: string,
  { resolve, judge, ...context }: LookUpOptions,
): Promise<readonly string[] | NoConnection> {
  let addresses: readonly string[]
  try {
    addresses = await resolve(hostname, context)
  } catch (error) {
    return { reason: 'dns', cause: causeOfLookup(error) }
  }
  if (addresses.length === 0) return { reason: 'dns' }
  if (!addresses.every(judge)) return { reason: 'blocked' }
  const distinct = [...new Set(addresses)]
  const [ones, others] = [isIPv6(distinct[0] ?? ''), !isIPv6(distinct[0] ?? '')].map((six) =>
    distinct.filter((address) => isIPv6(address) === six).slice(0, ADDRESSES_PER_FAMILY),
  )
  return Array.from({ length: ADDRESSES_PER_FAMILY }, (_, index) => [ones?.[index], others?.[index]])
    .flat()
    .filter((address) => address !== undefined)
}
