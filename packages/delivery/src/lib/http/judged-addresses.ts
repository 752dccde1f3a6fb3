import { isIPv6 } from 'node:net'
import type { Resolve, ResolveContext } from './dns-resolver.ts'

/**
 * The most addresses of one family that are dialled. A customer's name may have thousands (64 KiB of answer), and a
 * worker that dialled them all could be abused for port scans or floods.
 */
const ADDRESSES_PER_FAMILY = 4

export interface LookUpOptions extends ResolveContext {
  readonly resolve: Resolve
  /** Whether a connection may be made to an address. */
  readonly judge: (address: string) => boolean
}

/**
 * Resolves a name once and refuses the whole answer if any address is outside the policy, because keeping the good
 * addresses of a mixed answer leaves a race. Only the returned addresses are dialled, so there is no second lookup with
 * a possibly different answer. Addresses of the two families alternate and otherwise keep the order of the answer, so
 * that an unreachable family delays the other as little as possible.
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
