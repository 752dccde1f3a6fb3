import { isCallboardError } from '@callboard/core'
import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { html } from '../../html.ts'
import { overlapOf } from '../overlap-field.ts'
import { problemPage } from '../problem-page.ts'
import { askedKey } from './asked-key.ts'
import { expiryOf } from './key-expiry.ts'
import { mayGive } from './key-scopes.ts'
import { tokenPage } from './token-page.ts'

/** Creates a key's successor and shows its token once. A key is rotated only once, however often the form is posted. */
export async function rotateKey(call: Call): Promise<Answer> {
  const form = await call.form()
  const key = await askedKey(call)
  if (!mayGive(key.scopes, call)) return problemPage('NOT_ALLOWED', call)
  const overlap = overlapOf(form)
  try {
    const successor = await call.callboard.keys.rotate(call.accountId, key.id, {
      overlapMs: overlap?.ms,
      expiresAt: expiryOf(form, call),
    })
    return tokenPage(call, successor, {
      title: 'Key rotated',
      next:
        overlap?.ms === 0
          ? 'Replace the old key now: it no longer works.'
          : 'Replace the old key soon: it keeps working only for the time you chose.',
    })
  } catch (error) {
    if (!isCallboardError(error, 'NOT_FOUND')) throw error
    return {
      title: 'Not rotated',
      section: 'keys',
      status: 409,
      body: emptyState(
        'This key can no longer be rotated',
        'It has already been rotated, was revoked or has expired. A new key is shown only once: if you did not copy it, rotate the new one.',
        html`<a class="button button-primary" href=${call.href(`/keys/${key.id}`)}>View key</a>`,
      ),
    }
  }
}
