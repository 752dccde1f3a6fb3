import type { SubscriptionRecord, SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import { type ActionOptions, actionButton, confirmAction } from '../../components/action-form.ts'
import { nameOf } from '../../components/subscription-name.ts'
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
        of: nameOf(subscription),
        confirm: words.disableConfirm,
        question: html`<p>${words.disableQuestion}</p>`,
      }),
    confirmAction({
      action: at('remove'),
      label: words.remove,
      look: 'danger',
      of: nameOf(subscription),
      confirm: words.removeConfirm,
      question: html`<p>${words.removeQuestion}</p>`,
    }),
  ]
}

/** The link to the platform's support, if the subscription is disabled and only the platform may enable it. */
export function supportLink(subscription: SubscriptionRecord, { brand, texts }: Call): Html {
  return (
    brand?.support !== undefined &&
    subscription.state === 'disabled' &&
    whoEnables(subscription) === 'platform' &&
    html`<a class="button" href=${brand.support}>${texts.common.contactSupport}</a>`
  )
}

/**
 * The button that mends a troubled subscription, if the viewer can. A failing subscription's last attempted delivery is
 * resent, even during a pause; if the attempt succeeds, the pause ends.
 */
export function mend(subscription: SubscriptionWithHealth, call: Call, look: ActionOptions['look'] = 'plain'): Html {
  const { id, state, source, health } = subscription
  const { actions, retryNow } = call.texts.subscriptions
  if (!call.may('webhooks.write')) return undefined
  if (state === 'disabled')
    return (
      source === 'dashboard' &&
      whoEnables(subscription) === 'account' &&
      actionButton({ action: call.href(`/subscriptions/${id}/enable`), label: actions.enable, look })
    )
  if (health.failing === undefined || health.lastAttempt === undefined) return undefined
  const action = call.href(`/subscriptions/${id}/deliveries/${health.lastAttempt.eventId}/resend`)
  return actionButton({ action, label: retryNow, look })
}
