import { isCallboardError } from '@callboard/core'
import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { html } from '../../html.ts'
import { askedRef, askedSubscription } from '../subscriptions/asked-subscription.ts'
import { firstThen, howToEnable } from '../subscriptions/who-enables.ts'
import { askedEventId } from './asked-delivery.ts'

/** What sending one again came to, by the verb's outcomes. */
export const RESENT: Readonly<Record<'scheduled' | 'hastened' | 'pending', string>> = {
  scheduled: 'It is sent again now, with a whole new schedule of tries.',
  hastened: 'Its next try is made now. The tries so far count.',
  pending: 'It has not been sent yet and goes out in its turn, so there was nothing to do.',
}

/** Sends one delivery again, and goes back to its page, or its event's. */
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
      return refusal('The subscription is disabled', firstThen(first, 'send the delivery again'), {
        text: 'To the subscription',
        href: call.href(`/subscriptions/${ref.id}`),
      })
    }
    if (isCallboardError(error, 'EVENT_EXPIRED'))
      return refusal('The event has been removed', 'Its retention is over, so it cannot be sent again.', {
        text: 'Back to the deliveries',
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
