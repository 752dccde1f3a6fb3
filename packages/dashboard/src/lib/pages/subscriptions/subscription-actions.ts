import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { actionButton, confirmAction } from '../../components/action-form.ts'
import { type Html, html } from '../../html.ts'
import { testableTypes } from './send-test.ts'
import { whoEnables } from './who-enables.ts'

/** The actions for a subscription that was created in the dashboard. */
export function subscriptionActions(subscription: SubscriptionRecord, call: Call): Html {
  const { id, state } = subscription
  const { actions: words } = call.texts.subscriptions
  const at = (path: string): string => call.href(`/subscriptions/${id}/${path}`)
  return [
    state === 'disabled' &&
      whoEnables(subscription) === 'account' &&
      actionButton({ action: at('enable'), label: words.enable, look: 'primary' }),
    call.tests &&
      testableTypes(subscription, call).length > 0 &&
      html`<a class="button" href=${at('test')}>${words.sendTest}</a>`,
    html`<a class="button" href=${at('edit')}>${words.edit}</a>`,
    state === 'active' &&
      confirmAction({
        action: at('disable'),
        label: words.disable,
        confirm: words.disableConfirm,
        question: html`<p>${words.disableQuestion}</p>`,
      }),
    confirmAction({
      action: at('remove'),
      label: words.remove,
      look: 'danger',
      confirm: words.removeConfirm,
      question: html`<p>${words.removeQuestion}</p>`,
    }),
  ]
}
