import { isIPv6 } from 'node:net'
import type { Resolve, ResolveContext } from './dns-resolver.ts'

/**
 * The most addresses of one family that are connected to. A customer's name may have thousands (64 KiB of answer), and
 * dialling them all would make the worker amplify a scan or a flood.
 */
const ADDRESSES_PER_FAMILY = 4

export interface LookUpOptions extends ResolveContext {
  readonly resolve: Resolve
  /** Whether a connection may be made to an address. */
  readonly judge: (address: string) => boolean
}

/**
 * Resolves a name once and refuses the whole answer when any address is outside the policy, because keeping the good
 * addresses of a mixed answer leaves a race. Only the returned addresses are connected to, so there is no second
 * look-up that could differ. They keep the answer's order but alternate between the families, so that an unreachable
 * family delays the other least.
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
