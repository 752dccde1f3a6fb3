import { isCallboardError } from '@callboard/core'
import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { html } from '../../html.ts'
import { askedRef, askedSubscription } from '../subscriptions/asked-subscription.ts'
import { firstThen, howToEnable } from '../subscriptions/who-enables.ts'
import { askedEventId } from './asked-delivery.ts'

/** The notices for the outcomes of `deliveries.resend`. */
export const RESENT: Readonly<Record<'scheduled' | 'hastened' | 'pending', string>> = {
  scheduled: 'The delivery is being resent, with a new retry schedule.',
  hastened: 'The next attempt is being made now. Earlier attempts still count.',
  pending: 'The delivery is still pending and will be attempted in turn. There was nothing to resend.',
}

/** Resends one delivery, then returns to its page or to its event's page. */
export async function resendDelivery(call: Call): Promise<Answer> {
  const ref = askedRef(call)
  const eventId = askedEventId(call)
  const toEvent = (await call.form()).get('back') === 'event' && call.may('events.read')
  const path = toEvent ? `/events/${eventId}` : `/subscriptions/${ref.id}/deliveries/${eventId}`
  try {
    const done = await call.callboard.deliveries.resend(ref, eventId)
    return { redirect: call.href(path, { done }) }
  } catch (error) {
    if (isCallboardError(error, 'SUBSCRIPTION_DISABLED')) {
      const first = firstThen(undefined, howToEnable(await askedSubscription(call), call))
      return refusal('The subscription is disabled', firstThen(first, 'resend the delivery'), {
        text: 'View subscription',
        href: call.href(`/subscriptions/${ref.id}`),
      })
    }
    if (isCallboardError(error, 'EVENT_EXPIRED'))
      return refusal('The event has expired', 'Its retention period has ended, so it cannot be resent.', {
        text: 'Back to deliveries',
        href: call.href(`/subscriptions/${ref.id}/deliveries`),
      })
    throw error
  }
}

function refusal(title: string, next: string, back: { readonly text: string; readonly href: string }): Answer {
  return {
    title,
    section: 'subscriptions',
    status: 409,
    body: emptyState(title, next, html`<a class="button" href=${back.href}>${back.text}</a>`),
  }
}
