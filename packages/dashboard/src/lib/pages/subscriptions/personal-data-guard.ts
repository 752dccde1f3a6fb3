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
  const { edit, forbidden } = call.texts.subscriptionForm
  const up = { text: call.texts.subscriptions.one, href: call.href(`/subscriptions/${id}`) }
  return {
    title: forbidden.title,
    section: 'subscriptions',
    status: 403,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(edit, { up })}
        ${callout('warning', { title: forbidden.callout, body: forbidden.body })}
      </section>`,
  }
}
