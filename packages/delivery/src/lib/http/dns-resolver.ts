import { promises as dns } from 'node:dns'

/** The circumstances of one look-up. */
export interface ResolveContext {
  /** The policy names this host, so only this machine's hosts file or search list may know it. */
  readonly isListed: boolean
  /** Aborts when the answer is no longer waited for. */
  readonly signal: AbortSignal
}

/** Returns every address of a name, in the order in which to connect to them; rejects when it has none. */
export type Resolve = (hostname: string, context: ResolveContext) => Promise<readonly string[]>

export interface DnsResolverOptions {
  /** Name servers as `address` or `address:port`; default: the system's. */
  readonly servers?: readonly string[] | undefined
}

/**
 * How much longer one address family may take once the other has answered. Without a limit it took 2 to 4 s (measured).
 */
const OTHER_FAMILY_MS = 1_000

/**
 * Looks up names that customers chose by asking the name servers (A and AAAA at once), not by `dns.lookup`. That
 * function runs `getaddrinfo` on the process's four worker threads and cannot be cancelled: four names with silent name
 * servers stop every other look-up, and file access, for ten seconds or more. Here, forty silent names left another
 * name's look-up at 2 ms (measured on Node 24, Bun 1.4.5, Deno 2.9.6). Name servers also ignore the hosts file and the
 * search list, where public names do not belong. Only names that the platform itself listed go to `dns.lookup`.
 *
 * If only one address family answers, its addresses are used: only returned addresses are judged and connected to.
 */
export function createDnsResolver({ servers }: DnsResolverOptions = {}): Resolve {
  return async (hostname, { isListed, signal }) => {
    if (isListed) return (await dns.lookup(hostname, { all: true })).map(({ address }) => address)
    // A resolver per look-up costs 0.1 ms, notices a changed resolv.conf, and can be cancelled alone. Two attempts,
    // 1.5 s doubled, end within the transport's 5 s.
    const resolver = new dns.Resolver({ timeout: 1_500, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    let grace: ReturnType<typeof setTimeout> | undefined
    const cancel = (): void => resolver.cancel()
    const hurry = (found: string[]): string[] => {
      if (found.length > 0) grace ??= setTimeout(cancel, OTHER_FAMILY_MS)
      return found
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const [v4, v6] = await Promise.allSettled([
        resolver.resolve4(hostname).then(hurry),
        resolver.resolve6(hostname).then(hurry),
      ])
      const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      if (found.length === 0 && v4.status === 'rejected') throw v4.reason
      return found
    } finally {
      clearTimeout(grace)
      signal.removeEventListener('abort', cancel)
    }
  }
}
