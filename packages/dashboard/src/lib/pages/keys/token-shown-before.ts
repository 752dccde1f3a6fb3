import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { html } from '../../html.ts'

/** For a form that is posted once more, by a reload for example: the key is there, and its token is kept nowhere. */
export function tokenShownBefore(call: Call, keyId: string): Page {
  return {
    title: 'Shown before',
    section: 'keys',
    status: 409,
    body: emptyState(
      'This key has been issued already',
      'Nothing was done a second time. A key is shown only once: if you have not copied it, revoke it and issue another.',
      html`<a class="button button-primary" href=${call.href(`/keys/${keyId}`)}>To the key</a>`,
    ),
  }
}
