import { createId } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import { type AttemptRecord, FAILING_RULE } from '@callboard/core/store'

/** How an attempt ends. An attempt without an `outcome` succeeds. */
export type AttemptEnd = Partial<
  Pick<AttemptRecord, 'outcome' | 'status' | 'reason' | 'response' | 'number' | 'durationMs'>
> & {
  /** Whether the retry waits for an earlier event of its subject; false by default. */
  readonly waits?: boolean
}

/**
 * Sequences published events and attempts all due deliveries, as a worker does. `ends` maps event ids to outcomes.
 * Attempts for all other events end as `otherwise` says, by default with a 204. With `pauseMs`, the lanes are then
 * paused for so long.
 */
export async function attemptDeliveries(
  callboard: AnyCallboard,
  ends: Readonly<Record<string, AttemptEnd>> = {},
  otherwise: AttemptEnd = { status: 204 },
  { pauseMs = 0 }: { readonly pauseMs?: number } = {},
): Promise<void> {
  const { deliveries } = engineOf(callboard).store
  await deliveries.sequence(1_000)
  const due = await deliveries.due({ limit: 10, after: undefined })
  const lanes = await deliveries.lease({
    worker: 'w',
    call: 1,
    lanes: due.lanes.map((lane) => ({ ...lane, room: 1_000 })),
    leaseMs: 60_000,
  })
  for (const lane of lanes) {
    const attempts = lane.deliveries.map(({ eventId, attempts }): AttemptRecord => {
      const {
        outcome = 'delivered',
        status,
        reason,
        response,
        number = attempts + 1,
        durationMs = 120,
      } = ends[eventId] ?? otherwise
      return { id: createId('att'), eventId, number, outcome, status, reason, response, durationMs }
    })
    const retries = attempts
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ eventId, number }) => {
        const { waits = false } = ends[eventId] ?? otherwise
        return { eventId, attempts: number, delayMs: waits ? undefined : 300_000, suspect: false, redacted: false }
      })
    const ended = attempts.filter(({ outcome }) => outcome !== 'failed').map(({ eventId }) => eventId)
    await deliveries.settle(
      [
        {
          lease: lane.lease,
          settledThrough: lane.through,
          attempts,
          retries,
          ended,
          subjects: [],
          breakerFailures: 0,
          succeeded: attempts.some(({ outcome }) => outcome === 'delivered'),
          failedAttempts: attempts.filter(({ outcome }) => outcome !== 'delivered').length,
          slow: false,
          pauseMs,
          disable: undefined,
          keep: false,
        },
      ],
      FAILING_RULE,
    )
  }
}
