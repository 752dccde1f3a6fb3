import type { SubscriptionRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { pageHead } from '../../components/page-head.ts'
import { html } from '../../html.ts'

/**
 * A page instead of a change, where somebody who may not see personal data would say where such data goes: by another address they
 * would have it sent to themselves.
 */
export function personalDataForbids({ id, personalData }: SubscriptionRecord, call: Call): Page | undefined {
  if (!personalData || call.may('people.read')) return undefined
  return {
    title: 'Not yours to change',
    section: 'subscriptions',
    status: 403,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Edit subscription', { up: { text: 'Subscription', href: call.href(`/subscriptions/${id}`) } })}
        ${callout('warning', {
          title: 'This subscription is sent personal data, which your sign-in does not include',
          body: 'Ask somebody who may see personal data to change where it goes. You can disable the subscription, or remove it.',
        })}
      </section>`,
  }
}
