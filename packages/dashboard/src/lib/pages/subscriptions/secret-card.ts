import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { previousUntil, rotateForm } from './rotate-secret.ts'
import { verification } from './verification/verification.ts'

/**
 * The card about a subscription's signing secret: how to rotate it, and how to verify deliveries with it. The secret
 * itself is not shown.
 */
export async function secretCard(subscription: SubscriptionRecord, call: Call): Promise<Html> {
  const until = previousUntil(subscription)
  return card(
    { title: 'Signing secret', actions: await rotateForm(subscription, call) },
    html`
      <div class="stack">
        <p>The secret was shown once, when it was created. If it is lost or has leaked, rotate it.</p>
        ${until && html`<p>The previous secret also signs until ${time(until, { as: 'full' })}.</p>`}
        <details>
          <summary>How to verify deliveries</summary>
          ${verification()}
        </details>
      </div>`,
  )
}
