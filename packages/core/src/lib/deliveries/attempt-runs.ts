import type { AuditEntry } from '../ports/audit-store.ts'
import type { LoggedAttempt } from '../ports/delivery-record.ts'

/** An attempt with its place among all attempts of its delivery, over all resends. */
export interface NumberedAttempt extends LoggedAttempt {
  /** 1 for the first attempt that is known, whatever schedule it belongs to. */
  readonly nth: number
  /** When the attempt before it started, if a resend began a new schedule between the two. */
  readonly resentAfter: Date | undefined
}

/** Numbers a delivery's attempts through. `attempts` are all that are known, newest first. */
export function numberAttempts(attempts: readonly LoggedAttempt[]): readonly NumberedAttempt[] {
  return attempts.map((attempt, index) => {
    const earlier = attempts[index + 1]
    return {
      ...attempt,
      nth: attempts.length - index,
      resentAfter: earlier !== undefined && attempt.number <= earlier.number ? earlier.startedAt : undefined,
    }
  })
}

/**
 * Finds the entry of the audit trail that resent a delivery before this attempt; undefined if there is none. Between the
 * two attempts, others may have resent a range that does not include the delivery, so an entry about the delivery itself
 * comes first.
 *
 * @param entries entries about the subscription, newest first.
 */
export function resendBefore(
  { eventId, startedAt, resentAfter }: NumberedAttempt,
  entries: readonly AuditEntry[],
): AuditEntry | undefined {
  if (resentAfter === undefined) return undefined
  const between = entries.filter(({ at }) => at >= resentAfter && at <= startedAt)
  return (
    between.find(({ action, details }) => action === 'delivery.resent' && details['eventId'] === eventId) ??
    between.findLast(({ action }) => action === 'deliveries.resent')
  )
}
