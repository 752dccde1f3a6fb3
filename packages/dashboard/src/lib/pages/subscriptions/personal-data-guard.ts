import type { SubscriptionRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { pageHead } from '../../components/page-head.ts'
import { nameOf } from '../../components/subscription-name.ts'
import { html } from '../../html.ts'

/** The texts for an action that the viewer may not take: the page's title, and whom to ask. */
export interface Forbidden {
  readonly title: string
  readonly body: string
}

/**
 * Whether a subscription receives personal data that the viewer may not see. Such a viewer may not edit the
 * subscription, because an edit could send the data to another target. They may not rotate its secret, because the
 * receiver trusts whoever has it.
 */
export function guardsPersonalData({ personalData }: SubscriptionRecord, call: Call): boolean {
  return personalData === true && !call.may('people.read')
}

/** The page that refuses a change, if {@link guardsPersonalData} returns true; otherwise undefined. */
export function personalDataForbids(
  subscription: SubscriptionRecord,
  call: Call,
  { title, body }: Forbidden,
): Page | undefined {
  if (!guardsPersonalData(subscription, call)) return undefined
  const { subscriptionForm } = call.texts
  const up = { text: nameOf(subscription), href: call.href(`/subscriptions/${subscription.id}`) }
  return {
    title,
    section: 'subscriptions',
    status: 403,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(title, { up })}
        ${callout('warning', { title: subscriptionForm.forbidden.callout, body })}
      </section>`,
  }
}
