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
  /** What was done, and what it means. */
  readonly lead: Html
}

/**
 * The one page that shows a signing secret. It answers the post itself: nothing of the secret is in an address. Loaded again, the form
 * is posted again, and the verb, which knows it, does nothing a second time.
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
          next: html`<span>Put it into the environment of your receiver, as <code>WEBHOOK_SECRET</code>: by it your receiver knows what comes from here.</span>`,
        })}
        ${card({ title: 'Verify deliveries' }, verification())}
        <p><a class="button button-primary" href=${call.href(`/subscriptions/${id}`)}>I have copied it</a></p>
      </section>`,
  }
}
