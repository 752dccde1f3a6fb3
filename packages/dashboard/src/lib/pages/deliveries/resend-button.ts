import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { actionButton } from '../../components/action-form.ts'
import type { Html } from '../../html.ts'

export interface ResendButtonOptions {
  /** Whether resending returns the viewer to the event's page instead of the delivery's page; false by default. */
  readonly toEvent?: boolean | undefined
}

/**
 * Whether the viewer can resend a delivery. Nobody can resend expired and pending deliveries, and retries that wait for
 * an earlier event of their subject, because resending them has no effect.
 */
export function canResend(
  { state, nextAttemptAt }: DeliveryRecord,
  subscription: Pick<SubscriptionRecord, 'state'>,
  call: Call,
): boolean {
  if (!call.may('webhooks.write') || subscription.state === 'disabled') return false
  if (state === 'retrying') return nextAttemptAt !== undefined
  return state !== 'pending' && state !== 'expired'
}

/** The button that resends a delivery, if the viewer can resend it. */
export function resendButton(
  delivery: DeliveryRecord,
  subscription: Pick<SubscriptionRecord, 'state'>,
  call: Call,
  { toEvent = false }: ResendButtonOptions = {},
): Html {
  if (!canResend(delivery, subscription, call)) return undefined
  const { subscriptionId, eventId, state } = delivery
  const { retryNow, resend } = call.texts.deliveries
  return actionButton({
    action: call.href(`/subscriptions/${subscriptionId}/deliveries/${eventId}/resend`),
    label: state === 'retrying' ? retryNow : resend,
    look: state === 'exhausted' && !toEvent ? 'primary' : 'plain',
    hidden: { back: toEvent ? 'event' : undefined },
  })
}
