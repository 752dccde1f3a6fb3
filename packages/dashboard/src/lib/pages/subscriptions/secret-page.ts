import type { SubscriptionRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { pageHead } from '../../components/page-head.ts'
import { secretOnce } from '../../components/secret-once.ts'
import { nameOf } from '../../components/subscription-name.ts'
import { type Html, html } from '../../html.ts'
import { verification } from './verification/verification.ts'

export interface SecretPageOptions {
  readonly secret: string
  readonly title: string
  /** A sentence about what the viewer's form changed, such as “Only the new secret signs now.” */
  readonly lead: Html
}

/**
 * The only page that shows a signing secret. It is the response to a post, so no URL leads to the secret. A reload
 * posts the form again, which changes nothing, because creating and rotating are idempotent. A reload after a creation
 * does not show the secret again.
 *
 * A reload after a rotation shows it. Otherwise a viewer who lost the new secret would have to rotate once more, which
 * would end the old secret while receivers may still use it.
 */
export function secretPage(
  call: Call,
  subscription: SubscriptionRecord,
  { secret, title, lead }: SecretPageOptions,
): Page {
  const { common, secrets: words } = call.texts
  return {
    title,
    section: 'subscriptions',
    body: html`
      <section aria-labelledby="title">
        ${pageHead(title, { lead: html`<span>${nameOf(subscription)}. ${lead}</span>` })}
        ${secretOnce(call, {
          title: words.title,
          name: words.name,
          secret,
          next: words.keepIn(html`<code>WEBHOOK_SECRET</code>`),
        })}
        ${card({ title: words.verify }, verification(call, subscription.signatures))}
        <p><a class="button button-primary" href=${call.href(`/subscriptions/${subscription.id}`)}>${common.haveCopied}</a></p>
      </section>`,
  }
}
