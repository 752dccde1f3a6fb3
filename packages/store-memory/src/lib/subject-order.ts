import { wakeAt } from './lanes.ts'
import type { Lane, MemoryState, Retry, SubscriptionState } from './memory-state.ts'

/**
 * Whether a new event of the subject has to wait, because an earlier delivery of the subject is retrying or blocked.
 * Deliveries that were resent after they had ended do not count.
 */
export function isHeldUp({ retries }: Lane, subject: string): boolean {
  return [...retries.values()].some((retry) => !retry.manual && retry.subject === subject)
}

/**
 * Makes the first delivery of each given subject due if it is blocked, or every blocked delivery if the subscription no
 * longer orders by subject. Returns whether it made any delivery due.
 */
export function freeSubjects(
  state: MemoryState,
  subscription: SubscriptionState,
  subjects: ReadonlySet<string | undefined>,
): boolean {
  const { lane, record } = subscription
  if (record.state === 'disabled' || subjects.size === 0) return false
  const first = new Map<string | undefined, Retry>()
  for (const retry of lane.retries.values()) {
    if (retry.manual || !subjects.has(retry.subject)) continue
    const known = first.get(retry.subject)
    if (known === undefined || positionOf(retry) < positionOf(known)) first.set(retry.subject, retry)
  }
  const free = [...(record.ordering === 'subject' ? first : lane.retries).values()].filter(
    ({ dueAt }) => dueAt === undefined,
  )
  for (const retry of free) lane.retries.set(retry.eventId, { ...retry, dueAt: state.now() })
  if (free.length > 0 && !lane.leased && !lane.paused) wakeAt(state, subscription, state.now())
  return free.length > 0
}

/** The subjects in a lane's retries. */
export function subjectsIn({ retries }: Lane): ReadonlySet<string | undefined> {
  return new Set([...retries.values()].map(({ subject }) => subject))
}

function positionOf({ position = Number.POSITIVE_INFINITY }: Retry): number {
  return position
}
