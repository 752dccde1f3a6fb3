import type { SubscriptionRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { pageHead } from '../../components/page-head.ts'
import { html } from '../../html.ts'

/**
 * Refuses changes to a subscription that receives personal data if the viewer may not see such data. Otherwise the
 * viewer could have personal data sent to a target of their own.
 */
export function personalDataForbids({ id, personalData }: SubscriptionRecord, call: Call): Page | undefined {
  if (!personalData || call.may('people.read')) return undefined
  return {
    title: 'You cannot edit this subscription',
    section: 'subscriptions',
    status: 403,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Edit subscription', { up: { text: 'Subscription', href: call.href(`/subscriptions/${id}`) } })}
        ${callout('warning', {
          title: 'This subscription receives personal data, which you do not have permission to see',
          body: 'Ask someone who may see personal data to edit it. You can still disable or remove the subscription.',
        })}
      </section>`,
  }
}
