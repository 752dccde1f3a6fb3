import { isCallboardError } from '@callboard/core'
import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { pageMessage } from '../../components/page-message.ts'
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
  const { rotated, notRotated, view } = call.texts.keys
  try {
    const successor = await call.callboard.keys.rotate({
      accountId: call.accountId,
      id: key.id,
      overlapMs: overlap?.ms,
      expiresAt: expiryOf(form, call),
    })
    return tokenPage(call, successor, {
      title: rotated.title,
      next: overlap?.ms === 0 ? rotated.replaceNow : rotated.replaceSoon,
    })
  } catch (error) {
    if (!isCallboardError(error, 'NOT_FOUND')) throw error
    return {
      title: notRotated.title,
      section: 'keys',
      status: 409,
      body: pageMessage(
        notRotated.heading,
        notRotated.body,
        html`<a class="button button-primary" href=${call.href(`/keys/${key.id}`)}>${view}</a>`,
      ),
    }
  }
}
