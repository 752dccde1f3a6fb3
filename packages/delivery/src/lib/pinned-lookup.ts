import { isIPv6, type LookupFunction } from 'node:net'
import { canonicalAddress } from '@callboard/core'
import type { Resolve } from './dns-resolver.ts'

export interface PinnedLookupOptions {
  readonly resolve: Resolve
  /** Whether a connection may be made to an address. */
  readonly judge: (address: string) => boolean
  readonly isListed: boolean
  readonly signal: AbortSignal
  /** Called when a connection asks for the name's addresses. */
  readonly onAsk: () => void
  /** Called with the end of the look-up, before the connection hears of it. */
  readonly onAnswer: (result: 'judged' | 'dns' | 'blocked') => void
}

export interface PinnedLookup {
  /** For the `lookup` option of one request. */
  readonly lookup: LookupFunction
  /** True for an address that this look-up has judged good. */
  pinned(address: string): boolean
}

/**
 * Addresses of one family that a connection is given. A stranger's name may have thousands (64 KiB of answer), each of
 * which would be tried in turn: our worker as the amplifier of a scan or a flood.
 */
const ADDRESSES_PER_FAMILY = 4

/**
 * The look-up of one attempt: resolves once, refuses the whole answer when any address in it is outside the policy
 * (keeping the good ones of a mixed answer leaves a race), and gives the connection nothing but what was judged, so
 * that no second look-up can be told something else.
 */
export function createPinnedLookup(options: PinnedLookupOptions): PinnedLookup {
  const { resolve, judge, isListed, signal, onAsk, onAnswer } = options
  const judged = new Set<string>()

  const lookup: LookupFunction = (hostname, { all }, callback) => {
    const refuse = (result: 'dns' | 'blocked'): void => {
      onAnswer(result)
      callback(new Error(`The look-up was refused (${result}).`), '', 0)
    }
    onAsk()
    // A resolver that throws at once is one that rejects; and `lookup` must never answer synchronously.
    const answer = Promise.resolve().then(() => resolve(hostname, { isListed, signal }))
    answer.then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined) return refuse('dns')
        if (!addresses.every(judge)) return refuse('blocked')
        const answers = firstOfEachFamily(addresses)
        for (const { address } of answers) judged.add(canonicalAddress(address) ?? address)
        onAnswer('judged')
        if (all) callback(null, answers)
        else callback(null, first, familyOf(first))
      },
      () => refuse('dns'),
    )
  }

  return {
    lookup,
    pinned: (address) => {
      const canonical = canonicalAddress(address)
      return canonical !== undefined && judged.has(canonical)
    },
  }
}

function firstOfEachFamily(addresses: readonly string[]): { address: string; family: 4 | 6 }[] {
  const taken = { 4: 0, 6: 0 }
  return [...new Set(addresses)]
    .map((address) => ({ address, family: familyOf(address) }))
    .filter(({ family }) => ++taken[family] <= ADDRESSES_PER_FAMILY)
}

const familyOf = (address: string): 4 | 6 => (isIPv6(address) ? 6 : 4)
