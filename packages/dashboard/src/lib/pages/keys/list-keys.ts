import type { KeyRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { pageHead } from '../../components/page-head.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { SCOPE_WORDS } from './key-scopes.ts'
import { keyBadge, standingOf } from './key-standing.ts'

/** Lists the account's keys in the viewer's mode: valid keys first, then revoked and expired ones. */
export async function listKeys(call: Call): Promise<Page> {
  const now = call.engine.now()
  const keys = (await call.callboard.keys.list(call.accountId)).filter(({ mode }) => mode === call.mode)
  const works = (key: KeyRecord): boolean => ['active', 'replaced'].includes(standingOf(key, now))
  const rows = [...keys.filter(works), ...keys.filter((key) => !works(key))]
  const create = call.may('keys.write')
    ? html`<a class="button button-primary" href=${call.href('/keys/new')}>Create API key</a>`
    : undefined
  return {
    title: 'API keys',
    section: 'keys',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('API keys', {
          lead: `Automation tools and your own programs use these keys to call the API in ${call.mode} mode.`,
          actions: rows.length > 0 && create,
        })}
        ${
          rows.length === 0
            ? emptyState(
                'No API keys yet',
                create
                  ? 'Create one and paste it into your automation tool or program.'
                  : 'Ask an administrator of your account to create one.',
                create,
              )
            : dataTable({ caption: 'API keys', columns: columns(call, now), rows, id: ({ id }) => id })
        }
      </section>`,
  }
}

function columns(call: Call, now: number): readonly Column<KeyRecord>[] {
  return [
    {
      head: 'Name',
      kind: 'main',
      cell: ({ id, name }) => html`<a href=${call.href(`/keys/${id}`)}>${visibleText(name)}</a>`,
    },
    { head: 'Scopes', kind: 'wide', cell: ({ scopes }) => inWords(scopes) },
    { head: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? time(lastUsedAt) : 'Never') },
    { head: 'Ends', cell: (key) => ends(key) },
    {
      head: 'State',
      cell(key) {
        const standing = standingOf(key, now)
        const successor =
          standing === 'replaced' &&
          html`<p class="muted">replaced by <a href=${call.href(`/keys/${key.successorId}`)}>the new key</a></p>`
        return html`<div>${keyBadge(standing)}${successor}</div>`
      },
    },
  ]
}

/** The scopes of a key in a few words. */
export function inWords(scopes: KeyRecord['scopes']): string {
  const all = scopes.map((scope) => SCOPE_WORDS[scope].short).join(', ') || 'no scopes'
  return all.charAt(0).toUpperCase() + all.slice(1)
}

/** The time when the key stops or stopped working, or “Never”. */
function ends({ revokedAt, expiresAt }: KeyRecord): Html {
  const end = revokedAt ?? expiresAt
  return end === undefined ? 'Never' : time(end)
}
