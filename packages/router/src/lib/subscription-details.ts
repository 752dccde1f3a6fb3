import type { ApiSubscription } from '@callboard/core/engine'
import type { SubscriptionDetailsBody } from './schemas/subscription-schemas.ts'

/** The body for a subscription in every response except that to its creation. */
export function subscriptionDetails(subscription: ApiSubscription): SubscriptionDetailsBody {
  const { id, targetUrl, eventTypes, integration, externalRef, apiVersion, createdAt } = subscription
  const { state, disabledReason, advice, personalData, secretVersion, health } = subscription
  const { failing, lastAttempt } = health
  return {
    id,
    targetUrl,
    eventTypes,
    integration,
    externalRef,
    apiVersion,
    state,
    disabled:
      disabledReason === undefined || advice === undefined
        ? null
        : { reason: disabledReason, since: timeOf(health.disabledAt), ...advice },
    personalData,
    secretVersion,
    health: {
      delivered: health.hours.reduce((sum, { delivered }) => sum + delivered, 0),
      failed: health.hours.reduce((sum, { failed }) => sum + failed, 0),
      failing: failing === undefined ? null : { since: failing.since.toISOString(), attempts: failing.attempts },
      pausedUntil: timeOf(health.pausedUntil),
      nextAttemptAt: timeOf(health.nextAttemptAt),
      retrying: health.retrying,
      oldestPendingAt: timeOf(health.oldestPendingAt),
      lastAttempt:
        lastAttempt === undefined
          ? null
          : {
              eventId: lastAttempt.eventId,
              at: lastAttempt.at.toISOString(),
              outcome: lastAttempt.outcome,
              status: lastAttempt.status ?? null,
              reason: lastAttempt.reason ?? null,
              durationMs: lastAttempt.durationMs,
            },
    },
    createdAt: createdAt.toISOString(),
  }
}

function timeOf(date: Date | undefined): string | null {
  return date?.toISOString() ?? null
}
