import { createId, type Issue, isCallboardError, isId, isScope } from '@callboard/core'
import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { expiryOf } from './key-expiry.ts'
import { keyForm } from './key-form.ts'
import { mayGive } from './key-scopes.ts'
import { tokenPage } from './token-page.ts'
import { tokenShownBefore } from './token-shown-before.ts'

/** Issues a key and shows its token, this once. */
export async function issueKey(call: Call): Promise<Answer> {
  const form = await call.form()
  const posted = form.get('id') ?? ''
  const id = isId('key', posted) ? posted : createId('key')
  const name = (form.get('name') ?? '').trim()
  const asked = [...new Set(form.getAll('scopes'))]
  const refused = (issues: readonly Issue[]): Answer =>
    keyForm(call, { id, name, scopes: asked, expiry: form.get('expiry') ?? '', issues })
  const scopes = asked.filter(isScope)
  if (scopes.length === 0) return refused([{ path: 'scopes', message: 'Choose at least one thing that it may do.' }])
  if (!mayGive(scopes, call))
    return refused([{ path: 'scopes', message: 'You cannot give a key what you may not do yourself.' }])
  try {
    const { accountId: account, mode } = call
    const key = await call.callboard.keys.issue({ account, mode, id, name, scopes, expiresAt: expiryOf(form, call) })
    return tokenPage(call, key, {
      title: 'Key issued',
      next: 'Paste it where the tool or program asks for an API key.',
    })
  } catch (error) {
    if (isCallboardError(error, 'KEY_EXISTS')) return tokenShownBefore(call, id)
    if (isCallboardError(error, 'VALIDATION_FAILED'))
      return refused(
        error.issues.map(({ path, message }) => (path === 'name' ? { path, message: NAME } : { path, message })),
      )
    throw error
  }
}

const NAME = 'Give it a name of 1 to 100 characters.'
