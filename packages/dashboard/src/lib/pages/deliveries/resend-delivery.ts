import { isCallboardError } from '@callboard/core'
import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { pageMessage } from '../../components/page-message.ts'
import { html } from '../../html.ts'
import { askedRef, askedSubscription } from '../subscriptions/asked-subscription.ts'
import { howToEnable } from '../subscriptions/who-enables.ts'
import { askedEventId } from './asked-delivery.ts'

/** Resends one delivery, then redirects the viewer to the delivery's page or to its event's page. */
export async function resendDelivery(call: Call): Promise<Answer> {
  const ref = askedRef(call)
  const eventId = askedEventId(call)
  const toEvent = (await call.form()).get('back') === 'event' && call.may('events.read')
  const path = toEvent ? `/events/${eventId}` : `/subscriptions/${ref.id}/deliveries/${eventId}`
  try {
    const done = await call.callboard.deliveries.resend({ ...ref, subscriptionId: ref.id, eventId })
    return { redirect: call.href(path, { done }) }
  } catch (error) {
    const { advice, deliveries, subscriptions } = call.texts
    if (isCallboardError(error, 'SUBSCRIPTION_DISABLED')) {
      const first = howToEnable(await askedSubscription(call), call).alone
      return refusal(deliveries.refused.disabled, `${first} ${advice.resendTheDelivery}`, {
        text: subscriptions.view,
        href: call.href(`/subscriptions/${ref.id}`),
      })
    }
    if (isCallboardError(error, 'EVENT_EXPIRED'))
      return refusal(deliveries.refused.expired, advice.cannotResend, {
        text: deliveries.back,
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
    body: pageMessage(title, next, html`<a class="button" href=${back.href}>${back.text}</a>`),
  }
}
