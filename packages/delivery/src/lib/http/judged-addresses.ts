import { isIPv6 } from 'node:net'
import type { Resolve, ResolveContext } from './dns-resolver.ts'

/**
 * The most addresses of one family that are connected to. A stranger's name may have thousands (64 KiB of answer);
 * dialling them all would make our worker the amplifier of a scan or a flood.
 */
const ADDRESSES_PER_FAMILY = 4

export interface LookUpOptions extends ResolveContext {
  readonly resolve: Resolve
  /** Whether a connection may be made to an address. */
  readonly judge: (address: string) => boolean
}

/**
 * Resolves a name once and refuses the whole answer when any address is outside the policy: keeping the good ones of a
 * mixed answer leaves a race. Only the addresses returned are connected to, so no second look-up can be told something
 * else. They are in the answer's order but alternate between the families, so that a family that leads nowhere delays
 * the other least.
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
