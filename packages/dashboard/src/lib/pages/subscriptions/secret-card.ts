import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { guardsPersonalData } from './personal-data-guard.ts'
import { newestOnly, previousUntil, rotateForm } from './rotate-secret.ts'
import { verification } from './verification/verification.ts'

/**
 * The card about a subscription's signing secret: how to rotate it, and how to verify deliveries with it. The secret
 * itself is not shown.
 */
export async function secretCard(subscription: SubscriptionRecord, call: Call): Promise<Html> {
  const words = call.texts.secrets
  const guarded = guardsPersonalData(subscription, call)
  const until = previousUntil(subscription)
  // `verify` is inside the details, because a link opens the details around its target but not a target itself.
  return card(
    { title: words.title, actions: !guarded && (await rotateForm(subscription, call)) },
    html`
      <div class="stack" id="secret">
        <p>${words.shownOnce}</p>
        ${guarded && html`<p>${call.texts.subscriptionForm.forbidden.callout}. ${words.forbidden.body}</p>`}
        ${until && html`<p>${words.previousUntil(time(call, until, { as: 'full' }))} ${newestOnly(subscription, call)}</p>`}
        <details>
          <summary>${words.howToVerify}</summary>
          <div id="verify">${verification(call, subscription.signatures)}</div>
        </details>
      </div>`,
  )
}
