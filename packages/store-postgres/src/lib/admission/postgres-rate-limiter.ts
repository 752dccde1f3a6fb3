import type { RateDecision, RateLimiter, RateLimits } from '@callboard/core'
import { uuidFromId } from '@callboard/core/store'
import { type DatabaseOptions, openDatabase } from '../database/open-database.ts'
import { createBatches } from './batches.ts'
import { refused, windowsAt } from './rate-windows.ts'
import { takeRequests } from './take-requests.ts'

/**
 * The most requests in one statement. The statement keeps the rows of its keys locked until it has counted its last
 * request, and each request takes 20 to 40 µs.
 */
const MOST = 200

interface Request {
  readonly account: string
  readonly key: string
  readonly limits: RateLimits
}

/** Those requests of a batch that have the same account, key and the same limits. They are counted together. */
interface Group extends Request {
  /**
   * Groups are sorted by this name, which starts with the API key and its account, because rows must be locked in the
   * order of the keys.
   */
  readonly name: string
  asked: number
}

/**
 * Creates a rate limiter that counts in Postgres, for any number of server processes. It uses any database that has
 * Callboard's tables, such as the store's. Requests that arrive while a statement is running share the next statement,
 * so a request may wait for two statements: at most twice `queryTimeoutMs`.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for options that cannot work.
 */
export function createPostgresRateLimiter(options: DatabaseOptions): RateLimiter {
  const database = openDatabase(options)
  const take = createBatches<Request, RateDecision>(
    async (requests) => {
      const groups = new Map<string, Group>()
      const joined = requests.map((request) => {
        const name = `${request.key} ${request.account} ${request.limits.map(({ seconds, limit }) => `${seconds}:${limit}`)}`
        const group = groups.get(name) ?? { ...request, name, asked: 0 }
        groups.set(name, group)
        return { group, index: group.asked++ }
      })
      const sorted = [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
      const keys = sorted.map(({ account, key, asked, limits }) => ({
        account,
        key,
        asked,
        seconds: limits.map(({ seconds }) => seconds),
        limits: limits.map(({ limit }) => limit),
      }))
      const rows = await database.run(takeRequests, { keys })
      const taken = new Map(sorted.map((group, index) => [group, JSON.parse(rows[index]?.taken ?? '[]') as number[]]))
      return joined.map(({ group, index }) => decisionOf(group.limits, index, taken.get(group) ?? []))
    },
    { most: MOST },
  )
  return {
    takeRequest: async ({ accountId, keyId }, limits) =>
      take({ account: accountId, key: uuidFromId('key', keyId), limits }),
  }
}

/**
 * The decision on one request of a group; `index` is its index in the group. The group's first `taken` requests were
 * admitted.
 */
function decisionOf(
  limits: RateLimits,
  index: number,
  [now = 0, taken = 0, ...counts]: readonly number[],
): RateDecision {
  const admitted = index < taken
  if (!admitted) return { admitted, windows: refused(windowsAt(limits, now, counts)) }
  const after = taken - index - 1
  return {
    admitted,
    windows: windowsAt(
      limits,
      now,
      counts.map((value, index) => (index % 2 === 0 ? value : value - after)),
    ),
  }
}
