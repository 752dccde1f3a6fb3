import { createId, type Issue, SCOPES, type Scope } from '@callboard/core'
import { KEY_NAME_LENGTH } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { errorSummary } from '../../components/error-summary.ts'
import { choice, choices, field } from '../../components/field.ts'
import { pageHead } from '../../components/page-head.ts'
import { html } from '../../html.ts'
import { expiryField } from './key-expiry.ts'
import { mayGive, SCOPE_WORDS } from './key-scopes.ts'

/** What was typed, and what was wrong with it. */
export interface KeyFormState {
  /** Of the key that is to be issued: the same form posted twice issues one. */
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiry: string
  readonly issues: readonly Issue[]
}

/** What automation tools need. */
const USUAL: readonly Scope[] = ['webhooks.read', 'webhooks.write']

/** The form for a new key. */
export async function newKey(call: Call): Promise<Page> {
  const scopes = USUAL.filter((scope) => mayGive([scope], call))
  return keyForm(call, { id: createId('key'), name: '', scopes, expiry: '', issues: [] })
}

export function keyForm(call: Call, { id, name, scopes, expiry, issues }: KeyFormState): Page {
  return {
    title: 'Issue a key',
    section: 'keys',
    status: issues.length === 0 ? 200 : 400,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Issue a key', { up: { text: 'API keys', href: call.href('/keys') } })}
        ${errorSummary(issues, 'No key was issued')}
        <form class="form" method="post" action=${call.href('/keys/new')}>
          <input type="hidden" name="id" value=${id} />
          ${field({
            name: 'name',
            label: 'Name',
            hint: 'Where it is used, so that you know later which one to rotate or revoke.',
            placeholder: 'Zapier, bookkeeping',
            value: name,
            required: true,
            maxlength: KEY_NAME_LENGTH.max,
            issues,
          })}
          ${choices(
            { name: 'scopes', label: 'What it may do', hint: 'As little as will do.', issues },
            SCOPES.map((scope) => {
              const { label, meaning } = SCOPE_WORDS[scope]
              const given = mayGive([scope], call)
              return choice({
                kind: 'checkbox',
                name: 'scopes',
                value: scope,
                label,
                hint: given ? meaning : `${meaning} You may not do this yourself, so you cannot give it to a key.`,
                checked: given && scopes.includes(scope),
                disabled: !given,
              })
            }),
          )}
          ${expiryField(expiry)}
          <p class="muted">It works in ${call.mode} mode.</p>
          <div class="actions">
            <button class="button button-primary" type="submit">Issue the key</button>
            <a class="button" href=${call.href('/keys')}>Cancel</a>
          </div>
        </form>
      </section>`,
  }
}
