import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { actionButton } from '../../components/action-form.ts'
import type { Html } from '../../html.ts'

export interface ResendButtonOptions {
  /** Whether resending returns the viewer to the event's page instead of the delivery's page; false by default. */
  readonly toEvent?: boolean | undefined
}

/**
 * The button that resends a delivery. Expired and pending deliveries have no button, because resending them has no
 * effect.
 */
export function resendButton(
  { subscriptionId, eventId, state }: DeliveryRecord,
  subscription: Pick<SubscriptionRecord, 'state'>,
  call: Call,
  { toEvent = false }: ResendButtonOptions = {},
): Html {
  if (!call.may('webhooks.write') || subscription.state === 'disabled') return undefined
  if (state === 'pending' || state === 'expired') return undefined
  const { retryNow, resend } = call.texts.deliveries
  return actionButton({
    action: call.href(`/subscriptions/${subscriptionId}/deliveries/${eventId}/resend`),
    label: state === 'retrying' ? retryNow : resend,
    look: state === 'exhausted' && !toEvent ? 'primary' : 'plain',
    hidden: { back: toEvent ? 'event' : undefined },
  })
}
