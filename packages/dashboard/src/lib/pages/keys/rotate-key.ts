import { isCallboardError } from '@callboard/core'
import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { html } from '../../html.ts'
import { problemPage } from '../problem-page.ts'
import { askedKey } from './asked-key.ts'
import { OVERLAPS } from './key-actions.ts'
import { expiryOf } from './key-expiry.ts'
import { mayGive } from './key-scopes.ts'
import { tokenPage } from './token-page.ts'

/** Issues a key's successor and shows its token, this once. A key is rotated only once, however often the form is posted. */
export async function rotateKey(call: Call): Promise<Answer> {
  const form = await call.form()
  const key = await askedKey(call)
  if (!mayGive(key.scopes, call)) return problemPage('NOT_ALLOWED', call)
  const chosen = form.get('overlap') ?? ''
  const overlap = Object.hasOwn(OVERLAPS, chosen) ? OVERLAPS[chosen] : OVERLAPS['day']
  try {
    const successor = await call.callboard.keys.rotate(call.accountId, key.id, {
      overlapMs: overlap?.ms,
      expiresAt: expiryOf(form, call),
    })
    return tokenPage(call, successor, {
      title: 'Key rotated',
      next:
        overlap?.ms === 0
          ? 'Put it in the place of the old one now: that one works no more.'
          : 'Put it in the place of the old one, which goes on working for the time that you chose.',
    })
  } catch (error) {
    if (!isCallboardError(error, 'NOT_FOUND')) throw error
    return {
      title: 'Not rotated',
      section: 'keys',
      status: 409,
      body: emptyState(
        'This key cannot be rotated any more',
        'It has been rotated or has ended meanwhile. A new key is shown only once: if you have not copied it, rotate that one.',
        html`<a class="button button-primary" href=${call.href(`/keys/${key.id}`)}>To the key</a>`,
      ),
    }
  }
}
