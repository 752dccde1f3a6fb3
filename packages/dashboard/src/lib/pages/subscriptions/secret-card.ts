import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { formerUntil, rotateForm } from './rotate-secret.ts'
import { verification } from './verification/verification.ts'

/** The signing secret of a subscription created here, without showing it: how to rotate it, and what it is for. */
export async function secretCard(subscription: SubscriptionRecord, call: Call): Promise<Html> {
  const until = formerUntil(subscription)
  return card(
    { title: 'Signing secret', actions: await rotateForm(subscription, call) },
    html`
      <div class="stack">
        <p>It was shown once, when it was made. If it is lost or has leaked, rotate it.</p>
        ${until && html`<p>It was rotated: the former one signs beside it until ${time(until, { as: 'full' })}.</p>`}
        <details>
          <summary>Verify deliveries by it</summary>
          ${verification()}
        </details>
      </div>`,
  )
}
