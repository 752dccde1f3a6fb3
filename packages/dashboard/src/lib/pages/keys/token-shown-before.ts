import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { html } from '../../html.ts'

/**
 * The response if the form for a new key is posted again, for example by a reload. It cannot show the key's token,
 * because tokens are not stored.
 */
export function tokenShownBefore(call: Call, keyId: string): Page {
  return {
    title: 'Already created',
    section: 'keys',
    status: 409,
    body: emptyState(
      'This key has already been created',
      'No second key was created. A key is shown only once: if you did not copy it, revoke it and create another.',
      html`<a class="button button-primary" href=${call.href(`/keys/${keyId}`)}>View key</a>`,
    ),
  }
}
