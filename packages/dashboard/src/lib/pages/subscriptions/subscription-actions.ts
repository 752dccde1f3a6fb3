import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { actionButton, confirmAction } from '../../components/action-form.ts'
import { type Html, html } from '../../html.ts'
import { testableTypes } from './send-test.ts'
import { whoEnables } from './who-enables.ts'

/** What can be done with a subscription created here. */
export function subscriptionActions(subscription: SubscriptionRecord, call: Call): Html {
  const { id, state } = subscription
  const at = (path: string): string => call.href(`/subscriptions/${id}/${path}`)
  return [
    state === 'disabled' &&
      whoEnables(subscription) === 'account' &&
      actionButton({ action: at('enable'), label: 'Enable', look: 'primary' }),
    call.tests &&
      testableTypes(subscription, call).length > 0 &&
      html`<a class="button" href=${at('test')}>Send test event</a>`,
    html`<a class="button" href=${at('edit')}>Edit</a>`,
    state === 'active' &&
      confirmAction({
        action: at('disable'),
        label: 'Disable',
        confirm: 'Disable subscription',
        question: html`<p>No deliveries are made until you enable it. What waits is stopped, and can be sent again by hand.</p>`,
      }),
    confirmAction({
      action: at('remove'),
      label: 'Remove',
      look: 'danger',
      confirm: 'Remove subscription',
      question: html`<p>Nothing is sent there any more, what waits included. This cannot be undone.</p>`,
    }),
  ]
}
