import type { Ordering } from '../ports/subscription-record.ts'
import type { Lane, Retry } from './lane.ts'
import type { ChangingRetries } from './lane-change.ts'

/**
 * Makes the first retry of each given subject due if it waits for an earlier event, or every waiting retry of the
 * subject if the subscription keeps no order. Retries that somebody resent by hand block nothing and wait for nothing.
 */
export function freed(
  lane: Lane,
  retries: ChangingRetries,
  {
    subjects,
    ordering,
    now,
  }: { readonly subjects: readonly string[]; readonly ordering: Ordering; readonly now: number },
): Lane {
  if (lane.state === 'disabled' || subjects.length === 0) return lane
  const asked = new Set<string | undefined>(subjects)
  const first = new Map<string | undefined, Retry>()
  const waiting: Retry[] = []
  for (const retry of retries.values()) {
    if (!asked.has(retry.subject)) continue
    if (retry.dueAt === undefined) waiting.push(retry)
    const known = first.get(retry.subject)
    if (!retry.manual && (known === undefined || positionOf(retry) < positionOf(known))) first.set(retry.subject, retry)
  }
  const free = waiting.filter((retry) => ordering === 'none' || first.get(retry.subject) === retry)
  for (const retry of free) retries.write({ ...retry, dueAt: now })
  return free.length > 0 ? woken(lane, now) : lane
}

/**
 * The lane after work was added that is due now. Only an idle lane becomes due: others find it when they are settled.
 */
export function woken(lane: Lane, now: number): Lane {
  return lane.state === 'idle' ? { ...lane, wakeAt: Math.min(lane.wakeAt ?? now, now) } : lane
}

function positionOf({ position = Number.POSITIVE_INFINITY }: Retry): number {
  return position
}
