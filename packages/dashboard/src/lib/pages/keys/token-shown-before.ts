import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { pageMessage } from '../../components/page-message.ts'
import { html } from '../../html.ts'

/**
 * The response if the form for a new key is posted again, for example by a reload. It cannot show the key's token,
 * because tokens are not stored.
 */
export function tokenShownBefore(call: Call, keyId: string): Page {
  const { createdBefore: words, view } = call.texts.keys
  return {
    title: words.title,
    section: 'keys',
    status: 409,
    body: pageMessage(
      words.heading,
      words.body,
      html`<a class="button button-primary" href=${call.href(`/keys/${keyId}`)}>${view}</a>`,
    ),
  }
}
