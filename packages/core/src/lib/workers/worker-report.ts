import * as z from 'zod'

/** A worker reports at most this many hosts, those with the most waiting lanes. */
export const MOST_HELD_BACK = 50

/** A limit on concurrent requests to a host, reported while lanes wait because of it. */
export interface HeldBack {
  readonly limit: number
  /**
   * `new`: no request to the host has ended yet. `failing`: the last one was a sign of overload, or was slow. `full`:
   * it answers, but is at its limit.
   */
  readonly reason: (typeof HELD_BACK_REASONS)[number]
}

const HELD_BACK_REASONS = ['new', 'failing', 'full'] as const

/** A host for which lanes are waiting. */
export interface HeldBackHost extends HeldBack {
  /** Name and port, as `targetHost` returns it. */
  readonly host: string
  /** How many due lanes are waiting for this host. */
  readonly lanes: number
}

/** What keeps a worker from sending, and how many lanes it leaves to other workers for that reason. */
export interface PostponedLanes {
  /**
   * - `version`: its catalogue lacks the format version of an event.
   * - `key`: its key ring lacks the key of a signing secret.
   * - `resources`: it has no memory, file descriptors or local ports left.
   * - `network`: no host answers, or its name servers cannot be reached.
   * - `proxy`: its egress proxy cannot be reached.
   * - `clock`: its clock is so wrong that it cannot judge certificates.
   */
  readonly cause: (typeof POSTPONE_CAUSES)[number]
  /** The format version or the id of the key; empty for the other causes. */
  readonly name: string
  readonly lanes: number
}

const POSTPONE_CAUSES = ['version', 'key', 'resources', 'network', 'proxy', 'clock'] as const

/** A worker's report about the lanes that wait for their turn or that it cannot send, and about its clock. */
export interface WorkerReport {
  /** How many due lanes wait for their turn, and to how many accounts they belong. */
  readonly waiting: { readonly lanes: number; readonly accounts: number }
  /** The hosts for which lanes are waiting, those with the most lanes first; at most {@link MOST_HELD_BACK}. */
  readonly heldBack: readonly HeldBackHost[]
  /** Absent if the worker can send everything. */
  readonly postponed?: readonly PostponedLanes[] | undefined
  /**
   * How far the store's clock is ahead of the worker's, in milliseconds; negative if it is behind. Absent if they agree
   * to within a second.
   */
  readonly clockOffMs?: number | undefined
}

/** Hosts with the limits that a worker has learnt, in no order. */
export type LearntLimits = readonly (readonly [host: string, limit: number])[]

/** What the store keeps of a worker: its report, and what only other workers read. */
export interface WorkerDetails extends WorkerReport {
  /** The highest limits. */
  readonly limits?: LearntLimits | undefined
}

const count = z.int().nonnegative()
const hostShape = z.object({ host: z.string(), limit: count, reason: z.enum(HELD_BACK_REASONS), lanes: count })
const postponedShape = z.object({
  cause: z.enum(POSTPONE_CAUSES),
  name: z.string(),
  lanes: count,
})
const NOTHING_WAITS = { lanes: 0, accounts: 0 }
const reportShape = z.object({
  waiting: z.object({ lanes: count, accounts: count }).catch(NOTHING_WAITS),
  heldBack: z.array(z.unknown()).catch([]),
  postponed: z.array(z.unknown()).optional().catch(undefined),
  clockOffMs: z.number().optional().catch(undefined),
})

/**
 * Reads a report as it was stored. Leaves out whatever it does not understand, because a worker of another version may
 * have written the report.
 */
export function readWorkerReport(stored: unknown): WorkerReport {
  const { data } = reportShape.safeParse(stored)
  if (data === undefined) return { waiting: NOTHING_WAITS, heldBack: [] }
  const heldBack = data.heldBack.flatMap((host) => hostShape.safeParse(host).data ?? [])
  const postponed = data.postponed?.flatMap((each) => postponedShape.safeParse(each).data ?? [])
  const { waiting, clockOffMs } = data
  return {
    waiting,
    heldBack: heldBack.slice(0, MOST_HELD_BACK),
    ...(postponed && { postponed }),
    ...(clockOffMs && { clockOffMs }),
  }
}

const limitsShape = z.array(z.tuple([z.string(), count]))

/** Reads the `limits` of stored details. Returns none if it does not understand them. */
export function readLearntLimits(stored: unknown): LearntLimits {
  return limitsShape.safeParse(stored).data ?? []
}

/**
 * Combines the reports of several workers. All workers see the same due lanes, so the result has the highest numbers of
 * lanes and accounts, not the sums. The limits of a host are added up, because each worker limits only its own
 * requests. If the reasons differ, `failing` takes precedence over `full`, and `full` over `new`. Clocks are left out.
 */
export function combineReports(
  reports: readonly WorkerReport[],
): WorkerReport & { readonly postponed: readonly PostponedLanes[] } {
  const hosts = new Map<string, HeldBackHost>()
  const causes = new Map<string, PostponedLanes>()
  let [lanes, accounts] = [0, 0]
  for (const { waiting, heldBack, postponed = [] } of reports) {
    for (const each of postponed) {
      const key = `${each.cause} ${each.name}`
      if (each.lanes > (causes.get(key)?.lanes ?? 0)) causes.set(key, each)
    }
    lanes = Math.max(lanes, waiting.lanes)
    accounts = Math.max(accounts, waiting.accounts)
    for (const each of heldBack) hosts.set(each.host, combineHosts(each, hosts.get(each.host)))
  }
  const most = (a: { readonly lanes: number }, b: { readonly lanes: number }): number => b.lanes - a.lanes
  return {
    waiting: { lanes, accounts },
    heldBack: [...hosts.values()].sort(most),
    postponed: [...causes.values()].sort(most),
  }
}

function combineHosts(one: HeldBackHost, other: HeldBackHost | undefined): HeldBackHost {
  if (other === undefined) return one
  const reasons = [one.reason, other.reason]
  return {
    host: one.host,
    limit: one.limit + other.limit,
    reason: reasons.includes('failing') ? 'failing' : reasons.includes('full') ? 'full' : 'new',
    lanes: Math.max(one.lanes, other.lanes),
  }
}
