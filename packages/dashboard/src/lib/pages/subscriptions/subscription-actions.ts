import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { actionButton, confirmAction } from '../../components/action-form.ts'
import { type Html, html } from '../../html.ts'
import { testableTypes } from './send-test.ts'
import { whoEnables } from './who-enables.ts'

/** The actions on a subscription created in the dashboard. */
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
        question: html`<p>Nothing is delivered until you enable it again. Pending and retrying deliveries are disabled too; you can resend them later.</p>`,
      }),
    confirmAction({
      action: at('remove'),
      label: 'Remove',
      look: 'danger',
      confirm: 'Remove subscription',
      question: html`<p>Nothing more is sent to its target, including pending and retrying deliveries. This cannot be undone.</p>`,
    }),
  ]
}
