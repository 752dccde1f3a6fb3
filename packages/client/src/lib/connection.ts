import { fetch as fetchOfRuntime } from 'node-fetch-native/native'
import { authorizationOf, type ClientOptions, type Fetch, parseBaseUrl, versionHeader } from './client-options.ts'
import { sleep as sleepByTimer } from './sleep.ts'

/** What every request needs, and how to wait between requests. */
export interface Connection {
  readonly fetch: Fetch
  /** The address of the API, without `/v1`. */
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  readonly random: () => number
}

export function connectionOf({
  baseUrl,
  apiKey,
  apiVersion,
  // `fetchOfRuntime` comes from `node-fetch-native/native`. On Node, the main entry point of `node-fetch-native` would
  // load a 112 kB polyfill, which Node 18 and newer do not need.
  fetch = fetchOfRuntime,
  sleep = sleepByTimer,
  random = Math.random,
}: ClientOptions): Connection {
  const base = parseBaseUrl(baseUrl)
  return {
    fetch,
    base,
    headers: { authorization: authorizationOf(apiKey), ...versionHeader(apiVersion) },
    sleep,
    random,
  }
}
