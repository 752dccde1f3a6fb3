import type { AuditEntry } from '../ports/audit-store.ts'
import type { LoggedAttempt } from '../ports/delivery-record.ts'

/** An attempt with its place among all attempts of its delivery, over all resends. */
export interface NumberedAttempt extends LoggedAttempt {
  /** 1 for the first attempt that is known, whatever schedule it belongs to. */
  readonly nth: number
  /** Whether the attempt is the first of a new schedule, because the delivery was resent. */
  readonly isResent: boolean
}

/** Numbers a delivery's attempts through. `attempts` are all that are known, newest first. */
export function numberAttempts(attempts: readonly LoggedAttempt[]): readonly NumberedAttempt[] {
  return attempts.map((attempt, index) => {
    const earlier = attempts[index + 1]
    return {
      ...attempt,
      nth: attempts.length - index,
      isResent: earlier !== undefined && attempt.number <= earlier.number,
    }
  })
}

/**
 * Finds the entry of the audit trail that resent a delivery before this attempt; undefined if there is none.
 *
 * @param entries entries about the subscription, newest first.
 */
export function resendBefore(
  { eventId, startedAt }: LoggedAttempt,
  entries: readonly AuditEntry[],
): AuditEntry | undefined {
  return entries.find(
    ({ action, at, details }) =>
      at <= startedAt &&
      ((action === 'delivery.resent' && details['eventId'] === eventId) || action === 'deliveries.resent'),
  )
}
