import type { KeyRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager } from '../../components/pager.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { scopesInWords } from './key-scopes.ts'
import { keyBadge, keyStateOf } from './key-state.ts'

/** Lists the account's keys in the viewer's mode: valid keys first, then revoked and expired ones. */
export async function listKeys(call: Call): Promise<Page> {
  const words = call.texts.keys
  const now = call.engine.now()
  const { accountId, mode, query } = call
  const { keys: rows, nextCursor } = await call.callboard.keys.list({ accountId, mode, cursor: query.get('cursor') })
  const create = call.may('keys.write')
    ? html`<a class="button button-primary" href=${call.href('/keys/new')}>${words.create}</a>`
    : undefined
  return {
    title: words.title,
    section: 'keys',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.title, {
          lead: words.lead[call.mode],
          actions: rows.length > 0 && create,
        })}
        ${
          rows.length === 0
            ? emptyState(words.none.title, create ? words.none.create : words.none.ask, create)
            : dataTable({ caption: words.title, columns: columns(call, now), rows, id: ({ id }) => id })
        }
        ${pager(call, nextCursor)}
      </section>`,
  }
}

function columns(call: Call, now: number): readonly Column<KeyRecord>[] {
  const { common, keys: words } = call.texts
  return [
    {
      head: words.name,
      kind: 'main',
      cell: ({ id, name, lastCharacters }) => [
        html`<a href=${call.href(`/keys/${id}`)}>${visibleText(name)}</a>`,
        lastCharacters !== undefined && html`<p class="second"><code>…${lastCharacters}</code></p>`,
      ],
    },
    {
      head: common.state,
      kind: 'state',
      cell(key) {
        const state = keyStateOf(key, now)
        const link = (text: string): Html => html`<a href=${call.href(`/keys/${key.successorId}`)}>${text}</a>`
        const successor = state === 'replaced' && html`<p class="second">${words.replacedBy(link)}</p>`
        return [keyBadge(call, state), successor]
      },
    },
    { head: words.scopes, kind: 'wide', phone: 'bare', cell: ({ scopes }) => scopesInWords(scopes, call) },
    { head: words.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? time(call, lastUsedAt) : common.never) },
    { head: words.ends, cell: (key) => ends(key, call) },
  ]
}

/** The time when the key stops or stopped working, or “Never”. */
function ends({ revokedAt, expiresAt }: KeyRecord, call: Call): Html {
  const end = revokedAt ?? expiresAt
  return end === undefined ? call.texts.common.never : time(call, end)
}
