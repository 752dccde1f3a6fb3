import { createId, type Issue, isCallboardError } from '@callboard/core'
import { KEY_NAME_LENGTH } from '@callboard/core/engine'
import { isId, isScope } from '@callboard/core/store'
import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { type Html, html } from '../../html.ts'
import { chosenVersion } from '../format-version.ts'
import { type IssueWords, inWords } from '../issue-words.ts'
import { expiryOf } from './key-expiry.ts'
import { keyForm } from './key-form.ts'
import { mayGive } from './key-scopes.ts'
import { tokenPage } from './token-page.ts'
import { tokenShownBefore } from './token-shown-before.ts'

/** Creates a key and shows its token once. */
export async function issueKey(call: Call): Promise<Answer> {
  const form = await call.form()
  const posted = form.get('id') ?? ''
  const id = isId('key', posted) ? posted : createId('key')
  const name = (form.get('name') ?? '').trim()
  const asked = [...new Set(form.getAll('scopes'))]
  const apiVersion = chosenVersion(form)
  const refused = (issues: readonly Issue[], refusal?: Html): Answer =>
    keyForm(call, { id, name, scopes: asked, expiry: form.get('expiry') ?? '', apiVersion, issues, refusal })
  const scopes = asked.filter(isScope)
  if (scopes.length === 0) return refused([NOTHING_CHOSEN])
  if (!mayGive(scopes, call)) return refused([NOT_YOURS])
  try {
    const { accountId, mode } = call
    const expiresAt = expiryOf(form, call)
    const key = await call.callboard.keys.issue({ accountId, mode, id, name, scopes, expiresAt, apiVersion })
    return tokenPage(call, key, {
      title: 'Key created',
      next: 'Paste it into the tool or program that needs it.',
    })
  } catch (error) {
    if (isCallboardError(error, 'KEY_EXISTS')) return tokenShownBefore(call, id)
    if (isCallboardError(error, 'KEY_LIMIT_REACHED')) return refused([], limitReached(call))
    if (isCallboardError(error, 'VALIDATION_FAILED')) return refused(inWords(error.issues, KEY_WORDS))
    throw error
  }
}

function limitReached(call: Call): Html {
  return callout('warning', {
    title: 'Your account has reached its limit of API keys',
    body: 'Revoke a key that you no longer need. Then submit this form again: your entries are still here.',
    actions: html`<a class="button" href=${call.href('/keys')}>View API keys</a>`,
  })
}

const NOTHING_CHOSEN: Issue = {
  path: 'scopes',
  code: 'COUNT',
  message: 'Choose at least one scope.',
}
const NOT_YOURS: Issue = {
  path: 'scopes',
  code: 'UNKNOWN',
  message: 'You can only grant scopes that your own permissions cover.',
}

/** The messages of the form for a new key. */
const KEY_WORDS: IssueWords = {
  apiVersion: 'This format version is no longer offered. Choose another one.',
  name: {
    LENGTH: `Enter a name of ${KEY_NAME_LENGTH.min} to ${KEY_NAME_LENGTH.max} characters.`,
    CHARACTERS: 'The name must not contain control characters or broken Unicode.',
  },
}
