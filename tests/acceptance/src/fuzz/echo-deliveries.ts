import { createId } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import { FAILING_RULE } from '@callboard/core/store'

/** Delivers everything that is due to targets that answer 500, with `echo` of an account and mode as their response. */
export async function echoDeliveries(callboard: AnyCallboard, echo: (home: string) => string): Promise<void> {
  const { deliveries } = engineOf(callboard).store
  await deliveries.sequence(1_000)
  const { lanes } = await deliveries.due({ limit: 100, after: undefined })
  const wanted = lanes.map((lane) => ({ ...lane, room: 1_000 }))
  for (const lane of await deliveries.lease({ worker: 'w', call: 1, lanes: wanted, leaseMs: 60_000 })) {
    const attempts = lane.deliveries.map(({ eventId }) => ({
      id: createId('att'),
      eventId,
      number: 1,
      outcome: 'failed' as const,
      status: 500,
      reason: undefined,
      durationMs: 5,
      response: echo(`${lane.lease.accountId} ${lane.lease.mode}`),
    }))
    const settlement = {
      lease: lane.lease,
      settledThrough: lane.through,
      attempts,
      retries: attempts.map(({ eventId }) => {
        return { eventId, attempts: 1, delayMs: 60_000, suspect: false, redacted: false }
      }),
      ended: [],
      subjects: [],
      breakerFailures: 1,
      succeeded: false,
      failedAttempts: attempts.length,
      slow: false,
      pauseMs: 0,
      disable: undefined,
      keep: false,
    }
    await deliveries.settle([settlement], FAILING_RULE)
  }
}
