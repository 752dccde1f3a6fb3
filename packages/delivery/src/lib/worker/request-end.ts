import type { RequestEnd } from '../scheduling/host-limit.ts'
import type { AttemptResult } from './attempt.ts'

/** Failure reasons that say nothing about the host: the worker aborted the request, or never sent it. */
const NEVER_REACHED: readonly string[] = ['aborted', 'blocked', 'dns']

/** Returns what an attempt tells about its host; undefined if it tells nothing. */
export function requestEndOf(
  result: AttemptResult,
  { failures, endedAt }: { readonly failures: number; readonly endedAt: number },
): RequestEnd | undefined {
  if (result.kind === 'unprepared' || result.kind === 'expired') return undefined
  if (result.kind === 'failed' && NEVER_REACHED.includes(result.reason)) return undefined
  const answered = result.kind === 'response'
  return {
    answered,
    coped: answered && result.status !== 429 && result.status < 500,
    expectedToFail: failures > 0,
    startedAt: endedAt - result.durationMs,
    endedAt,
  }
}
