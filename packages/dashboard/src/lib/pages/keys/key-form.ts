import { type Issue, SCOPES, type Scope } from '@callboard/core'
import { KEY_NAME_LENGTH } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { errorSummary } from '../../components/error-summary.ts'
import { choice, choices, field } from '../../components/field.ts'
import { pageHead } from '../../components/page-head.ts'
import { type Html, html } from '../../html.ts'
import { versionField } from '../format-version.ts'
import { expiryField } from './key-expiry.ts'
import { mayGive } from './key-scopes.ts'

/** The entered values, and the issues with them. */
export interface KeyFormState {
  /** The signed id for the new key. It is part of the form, so a form posted twice creates only one key. */
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiry: string
  /** The chosen format version; undefined for the current one. */
  readonly apiVersion: string | undefined
  readonly issues: readonly Issue[]
  /** The reason why the account cannot create a key now; undefined if it can. */
  readonly refusal?: Html | undefined
}

/** The scopes that are preselected, because automation tools need them. */
const USUAL: readonly Scope[] = ['webhooks.read', 'webhooks.write']

/** Shows the form for a new key. */
export async function newKey(call: Call): Promise<Page> {
  const scopes = USUAL.filter((scope) => mayGive([scope], call))
  const { signed } = await call.engine.keyIds.create(call.accountId)
  return keyForm(call, { id: signed, name: '', scopes, expiry: '', apiVersion: undefined, issues: [] })
}

export function keyForm(call: Call, { id, name, scopes, expiry, apiVersion, issues, refusal }: KeyFormState): Page {
  const { common, keys } = call.texts
  const words = keys.form
  return {
    title: keys.create,
    section: 'keys',
    status: refusal !== undefined ? 409 : issues.length > 0 ? 400 : 200,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(keys.create, { up: { text: keys.title, href: call.href('/keys') } })}
        ${refusal}
        ${errorSummary(call, issues, words.summary)}
        <form class="form" method="post" action=${call.href('/keys/new')}>
          <input type="hidden" name="id" value=${id} />
          ${field({
            name: 'name',
            label: keys.name,
            hint: words.nameHint,
            placeholder: words.namePlaceholder,
            value: name,
            required: true,
            maxlength: KEY_NAME_LENGTH.max,
            issues,
          })}
          ${choices(
            { name: 'scopes', label: keys.scopes, hint: words.scopesHint, issues },
            SCOPES.map((scope) => {
              const { label, meaning } = keys.scope[scope]
              const given = mayGive([scope], call)
              return choice({
                kind: 'checkbox',
                name: 'scopes',
                value: scope,
                label,
                hint: given ? meaning : `${meaning} ${words.notYours}`,
                checked: given && scopes.includes(scope),
                disabled: !given,
              })
            }),
          )}
          ${expiryField(call, expiry)}
          ${versionField(call, {
            value: apiVersion ?? call.engine.formats.current,
            hint: words.versionHint,
            issues,
          })}
          <p class="muted">${words.mode[call.mode]}</p>
          <div class="actions">
            <button class="button button-primary" type="submit">${words.submit}</button>
            <a class="button" href=${call.href('/keys')}>${common.cancel}</a>
          </div>
        </form>
      </section>`,
  }
}
