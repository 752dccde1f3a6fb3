import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { pageHead } from '../../components/page-head.ts'
import { secretOnce } from '../../components/secret-once.ts'
import { host } from '../../components/target.ts'
import { type Html, html } from '../../html.ts'
import { verification } from './verification/verification.ts'

export interface SecretPageOptions {
  readonly id: string
  readonly targetUrl: string
  readonly secret: string
  readonly title: string
  /** A sentence about the effect, such as “Only the new secret signs now.” */
  readonly lead: Html
}

/**
 * The only page that shows a signing secret. It is the response to a post, so no URL leads to the secret. A reload
 * posts the form again, but has no further effect, because creating and rotating are idempotent.
 */
export function secretPage(call: Call, { id, targetUrl, secret, title, lead }: SecretPageOptions): Page {
  return {
    title,
    section: 'subscriptions',
    body: html`
      <section aria-labelledby="title">
        ${pageHead(title, { lead: html`<span>${host(targetUrl)}. ${lead}</span>` })}
        ${secretOnce({
          name: 'Signing secret',
          secret,
          next: html`<span>Set it as <code>WEBHOOK_SECRET</code> in the environment of your receiver, which needs it to verify deliveries.</span>`,
        })}
        ${card({ title: 'Verify deliveries' }, verification())}
        <p><a class="button button-primary" href=${call.href(`/subscriptions/${id}`)}>I have copied it</a></p>
      </section>`,
  }
}
