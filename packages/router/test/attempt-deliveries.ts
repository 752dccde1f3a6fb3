import { createId } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import { type AttemptRecord, FAILING_RULE } from '@callboard/core/store'

/** How an attempt ends: with a 204 by default. */
export type AttemptEnd = Partial<Pick<AttemptRecord, 'outcome' | 'status' | 'reason' | 'response'>>

/** Sequences published events and attempts all due deliveries as a worker does. All attempts end as `end` says. */
export async function attemptDeliveries(callboard: AnyCallboard, end: AttemptEnd = {}): Promise<void> {
  const { now, store } = engineOf(callboard)
  const { outcome = 'delivered', status = end.reason === undefined ? 204 : undefined, reason, response } = end
  await store.deliveries.sequence(1_000)
  const { lanes } = await store.deliveries.due({ limit: 10, after: undefined })
  const request = { worker: 'w', call: now(), lanes: lanes.map((lane) => ({ ...lane, room: 1_000 })) }
  for (const lane of await store.deliveries.lease({ ...request, leaseMs: 60_000 })) {
    const attempts = lane.deliveries.map(({ eventId, attempts: before }): AttemptRecord => {
      return {
        id: createId('att', { now: now() }),
        eventId,
        number: before + 1,
        outcome,
        status,
        reason,
        response,
        durationMs: 120,
      }
    })
    const fails = outcome === 'failed'
    const settlement = {
      lease: lane.lease,
      settledThrough: lane.through,
      attempts,
      retries: fails
        ? attempts.map(({ eventId, number }) => {
            return { eventId, attempts: number, delayMs: 300_000, suspect: false, redacted: false }
          })
        : [],
      ended: fails ? [] : attempts.map(({ eventId }) => eventId),
      subjects: [],
      breakerFailures: 0,
      succeeded: outcome === 'delivered',
      failedAttempts: outcome === 'delivered' ? 0 : attempts.length,
      slow: false,
      pauseMs: 0,
      disable: undefined,
      keep: false,
    }
    await store.deliveries.settle([settlement], FAILING_RULE)
  }
}
