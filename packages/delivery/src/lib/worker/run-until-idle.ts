import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import type { AttemptRecord, PostponedLanes } from '@callboard/core/store'
import { POSTPONE_MS } from '../lanes/postponed-lanes.ts'
import { type RunOptions, readRunOptions } from './run-options.ts'
import { checkStart } from './start-checks.ts'
import { upkeep } from './upkeep.ts'
import { createWorkerParts } from './worker-parts.ts'

/** The result of a run, and the time until another run has something to do. */
export interface RunReport {
  /**
   * Why the run ended: no due work was left (`idle`), or work was left at the deadline (`deadline`) or when the option
   * `signal` aborted (`stopped`).
   */
  readonly end: 'idle' | 'deadline' | 'stopped'
  /**
   * Milliseconds until the next delivery is due; 0 if work was left, undefined if nothing is scheduled. Counts retries,
   * probes of paused subscriptions, and deliveries that another worker has leased, because that worker may fail to
   * settle them. If nothing is due but deliveries that this process cannot send (`postponed`), this is the time until
   * it may try them again.
   */
  readonly nextInMs: number | undefined
  /**
   * What this process could not send, although another process may, and how many subscriptions wait for that reason:
   * for example, events in a format version that its catalogue lacks. Empty if it could send everything.
   */
  readonly postponed: readonly PostponedLanes[]
  /** How many events got their position in the feed. */
  readonly sequenced: number
  /** How many deliveries succeeded. */
  readonly delivered: number
  /** How many attempts failed and will be retried. */
  readonly failed: number
  /** How many deliveries ended because their last attempt failed. */
  readonly exhausted: number
  /** How many deliveries ended because their target answered 410. */
  readonly gone: number
  /** How many deliveries ended because retention has removed their event. */
  readonly expired: number
}

/**
 * Delivers what is due and ends: a worker for serverless functions, which have no process that keeps running. Call it
 * from a scheduled function, and after publishing. Any number of calls and workers may run on one store at once.
 *
 * Once the returned promise resolves, the run holds no lease, connection or timer. Your pool stays open. If the process
 * is ended earlier, other calls and workers take over its work.
 *
 * @throws CallboardError the same as `startWorker`, and `UNAVAILABLE` if the store is out of reach when the run starts.
 *   Later errors go to `onError`, and the run tries again until its deadline.
 *
 * @example
 * const { end, nextInMs } = await runUntilIdle(callboard, { deadlineMs: 50_000 })
 */
export async function runUntilIdle(callboard: AnyCallboard, options: RunOptions): Promise<RunReport> {
  const { worker: settings, workMs, sendMs } = readRunOptions(options, callboard.retention.horizons.eventsMs)
  const { signal } = options
  const stopping = new AbortController()
  const aborting = new AbortController()
  const stop = (): void => stopping.abort()
  const timers = [setTimeout(stop, workMs), setTimeout(() => aborting.abort(), sendMs)]
  if (signal?.aborted === true) stop()
  else signal?.addEventListener('abort', stop, { once: true })
  try {
    await checkStart(callboard, options)
    const signals = { stopping: stopping.signal, aborting: aborting.signal }
    const { nextInMs, ...result } = await deliver(callboard, { options, settings, ...signals })
    const end = nextInMs !== 0 ? 'idle' : signal?.aborted === true ? 'stopped' : 'deadline'
    return { end, nextInMs, ...result }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** Delivers until nothing is due or `stopping` aborts, and then settles what is in flight. */
async function deliver(
  callboard: AnyCallboard,
  run: Omit<Parameters<typeof createWorkerParts>[1], 'onRecorded' | 'onVisited' | 'restMs'>,
): Promise<Omit<RunReport, 'end'>> {
  const { stopping, settings } = run
  const { store, hooks } = engineOf(callboard)
  const counts: Record<AttemptRecord['outcome'] | 'sequenced', number> = {
    sequenced: 0,
    delivered: 0,
    failed: 0,
    exhausted: 0,
    gone: 0,
    expired: 0,
  }
  const { sequencing, leasing, postponedLanes, wakers, ...parts } = createWorkerParts(callboard, {
    ...run,
    restMs: () => undefined,
    onVisited: () => wakers.leasing.wake(),
    onRecorded(attempts) {
      for (const { outcome } of attempts) counts[outcome]++
    },
  })

  /** Also returns 0 if the time is unknown, because something may then be due. */
  const untilNextWork = async (): Promise<number | undefined> => {
    if (!leasing.ok() || !sequencing.ok()) return 0
    try {
      const { nextInMs } = await store.deliveries.backlog()
      const freeInMs = postponedLanes.freeInMs()
      // Postponed lanes soon become due. Waiting for that shows whether anything else becomes due with them.
      if (freeInMs === undefined || nextInMs === undefined || nextInMs > POSTPONE_MS) return nextInMs
      return nextInMs === 0 && (await leasing.isOnlyHeldDue()) ? freeInMs : 0
    } catch (error) {
      hooks.onError(error)
      return 0
    }
  }

  const keepingUp = upkeep(callboard, settings.retentionMs)
  /**
   * Sequences and leases in one loop, unlike a worker that keeps running: this run must do neither while it asks the
   * store whether anything is due.
   */
  const untilIdle = async (): Promise<number | undefined> => {
    while (!stopping.aborted) {
      const sequenced = await sequencing.sequence()
      counts.sequenced += sequenced.count
      const isMore = await leasing.look()
      if (sequenced.count > 0 || isMore) continue
      if (!leasing.isVisiting()) {
        if ((await keepingUp.next()).done !== true) continue
        const nextInMs = await untilNextWork()
        if (nextInMs !== 0) return nextInMs
      }
      await wakers.leasing.sleep(settings.pollMs, stopping)
    }
    return 0
  }

  const attendance = parts.attend()
  await attendance.begun
  const idleForMs = await untilIdle()
  await leasing.visited()
  await keepingUp.return()
  await attendance.end()
  // The visits that were still in progress may have done all the remaining work, so the store is asked again.
  const nextInMs = idleForMs === 0 ? await untilNextWork() : idleForMs
  await parts.close()
  return { ...counts, postponed: postponedLanes.list(), nextInMs }
}
