import { type Issue, isCallboardError } from '@callboard/core'
import { KEY_NAME_LENGTH } from '@callboard/core/engine'
import { isScope } from '@callboard/core/store'
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
  const { id, signed } = await call.engine.keyIds.open(call.accountId, form.get('id') ?? '')
  const name = (form.get('name') ?? '').trim()
  const asked = [...new Set(form.getAll('scopes'))]
  const apiVersion = chosenVersion(form)
  const refused = (issues: readonly Issue[], refusal?: Html): Answer =>
    keyForm(call, { id: signed, name, scopes: asked, expiry: form.get('expiry') ?? '', apiVersion, issues, refusal })
  const words = call.texts.keys
  const scopes = asked.filter(isScope)
  if (scopes.length === 0) return refused([{ path: 'scopes', code: 'COUNT', message: words.issues.noScope }])
  if (!mayGive(scopes, call)) return refused([{ path: 'scopes', code: 'UNKNOWN', message: words.issues.notYours }])
  try {
    const { accountId, mode } = call
    const expiresAt = expiryOf(form, call)
    const key = await call.callboard.keys.issue({ accountId, mode, id, name, scopes, expiresAt, apiVersion })
    return tokenPage(call, key, words.created)
  } catch (error) {
    if (isCallboardError(error, 'KEY_EXISTS')) return tokenShownBefore(call, id)
    if (isCallboardError(error, 'KEY_LIMIT_REACHED')) return refused([], limitReached(call))
    if (isCallboardError(error, 'VALIDATION_FAILED')) return refused(inWords(call, error.issues, issueWords(call)))
    throw error
  }
}

function limitReached(call: Call): Html {
  const { limitReached: words, viewAll } = call.texts.keys
  const actions = html`<a class="button" href=${call.href('/keys')}>${viewAll}</a>`
  return callout('warning', { ...words, actions, focus: true })
}

/** The messages of the form for a new key. */
function issueWords({ texts: { formatVersions, keys } }: Call): IssueWords {
  return {
    apiVersion: formatVersions.notOffered,
    name: {
      LENGTH: keys.issues.nameLength(KEY_NAME_LENGTH.min, KEY_NAME_LENGTH.max),
      CHARACTERS: keys.issues.nameCharacters,
    },
  }
}
