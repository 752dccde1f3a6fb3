import type { RequestEnd } from '../scheduling/host-limit.ts'
import type { AttemptResult } from './attempt.ts'

/** Failure reasons that say nothing about the host: the worker aborted the request, or never sent it. */
const NEVER_REACHED: readonly (string | number)[] = ['aborted', 'blocked', 'dns', 'unprepared']
/**
 * The failure reasons and statuses of an overloaded host, or of a proxy in front of it. A 500 or a bad certificate is
 * not among them: it says that a receiver is broken, not that its host is busy.
 */
const OVERLOAD: readonly (string | number)[] = ['connect', 'tls', 'timeout', 'reset', 429, 502, 503, 504]

/** Returns what an attempt tells about its host; undefined if it tells nothing. */
export function requestEndOf(
  result: AttemptResult,
  { breakerFailures, endedAt }: { readonly breakerFailures: number; readonly endedAt: number },
): RequestEnd | undefined {
  const answer =
    result.kind === 'response' ? result.status : result.kind === 'failed' ? result.reason : ('unprepared' as const)
  if (NEVER_REACHED.includes(answer)) return undefined
  const isGood = typeof answer === 'number' && answer < 500
  return {
    kind: OVERLOAD.includes(answer) ? 'overload' : isGood ? 'good' : 'neutral',
    expectedToFail: breakerFailures > 0,
    startedAt: endedAt - result.durationMs,
    endedAt,
  }
}
