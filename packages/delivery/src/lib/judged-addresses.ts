import { isIPv6 } from 'node:net'
import type { Resolve, ResolveContext } from './dns-resolver.ts'

/**
 * Addresses of one family that are connected to. A stranger's name may have thousands (64 KiB of answer), each of which
 * would be tried in turn: our worker as the amplifier of a scan or a flood.
 */
const ADDRESSES_PER_FAMILY = 4

export interface LookUpOptions extends ResolveContext {
  readonly resolve: Resolve
  /** Whether a connection may be made to an address. */
  readonly judge: (address: string) => boolean
}

/**
 * Resolves a name once and refuses the whole answer when any address in it is outside the policy (keeping the good ones
 * of a mixed answer leaves a race). What is given is all that is connected to, so that no second look-up can be told
 * something else: in the answer's order, the families in turn, so that one that leads nowhere holds up the other least.
 */
export async function lookUpJudged(
  hostname: string,
  { resolve, judge, ...context }: LookUpOptions,
): Promise<readonly string[] | 'dns' | 'blocked'> {
  let addresses: readonly string[]
  try {
    addresses = await resolve(hostname, context)
  } catch {
    return 'dns'
  }
  if (addresses.length === 0) return 'dns'
  if (!addresses.every(judge)) return 'blocked'
  const distinct = [...new Set(addresses)]
  const [ones, others] = [isIPv6(distinct[0] ?? ''), !isIPv6(distinct[0] ?? '')].map((six) =>
    distinct.filter((address) => isIPv6(address) === six).slice(0, ADDRESSES_PER_FAMILY),
  )
  return Array.from({ length: ADDRESSES_PER_FAMILY }, (_, place) => [ones?.[place], others?.[place]])
    .flat()
    .filter((address) => address !== undefined)
}
