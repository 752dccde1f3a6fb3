import type { AuditEntry } from '@callboard/core'
import { isId } from '@callboard/core/store'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager } from '../../components/pager.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { readList, unreadableList } from '../unreadable-list.ts'
import { detailWords } from './audit-words.ts'

/** The maximum number of entries on a page. Low, so that a page is not too long on a phone. */
const PAGE = 20

/**
 * Lists who did what in the account, newest first. If the query parameter `of` is the id of a key or subscription, the
 * list shows only what was done to it.
 */
export async function listAuditTrail(call: Call): Promise<Page> {
  const { callboard, accountId, mode, query } = call
  const words = call.texts.audit
  const objectId = query.get('of') || undefined
  const cursor = query.get('cursor') || undefined
  const page = await readList(callboard.audit.list({ accountId, mode, objectId, cursor, limit: PAGE }))
  if (page === undefined) return unreadableList(call, '/audit')
  const names = await callboard.audit.namesIn(page.entries)
  return {
    title: words.title,
    section: 'audit',
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.title, {
          lead: objectId === undefined ? words.lead : words.leadOf(named(objectId, names, call)),
          actions: objectId && html`<a class="button" href=${call.href('/audit')}>${words.showAll}</a>`,
        })}
        ${
          page.entries.length > 0
            ? card(
                { flush: true },
                dataTable({
                  caption: words.caption,
                  columns: columns(names, call),
                  rows: page.entries,
                  id: ({ number }) => String(number),
                }),
              )
            : emptyState(words.none.title, words.none.body)
        }
        ${pager(call, page.nextCursor)}
      </section>`,
  }
}

type Names = Awaited<ReturnType<Call['callboard']['audit']['namesIn']>>

function columns(names: Names, call: Call): readonly Column<AuditEntry>[] {
  const words = call.texts.audit
  return [
    {
      head: words.what,
      kind: 'main',
      cell: ({ action, details }) => html`
        <div>
          ${words.actions[action]}
          <p class="second">${detailWords(call, details)}</p>
        </div>`,
    },
    {
      head: words.of,
      phone: 'bare',
      cell: ({ objectId }) => objectId && linked(objectId, names, call),
    },
    { head: words.who, phone: 'bare', cell: ({ actor }) => who(actor, names, call) },
    { head: words.when, phone: 'bare', cell: ({ at }) => time(call, at) },
  ]
}

/** A key or subscription, as a link to its page if the viewer may see that page. */
function linked(id: string, names: Names, call: Call): Html {
  const path = isId('key', id) ? `/keys/${id}` : `/subscriptions/${id}`
  const name = named(id, names, call)
  return maySee(id, call) ? html`<a class="cut" href=${call.href(path)}>${name}</a>` : name
}

/** The name of a key or subscription. If it no longer exists, or if the viewer may not see it, its id. */
function named(id: string, names: Names, call: Call): Html {
  const name = maySee(id, call) ? names.get(id) : undefined
  return name === undefined ? html`<code>${visibleText(id)}</code>` : visibleText(name)
}

function maySee(id: string, call: Call): boolean {
  return call.may(isId('key', id) ? 'keys.read' : 'webhooks.read')
}

/** Names the actor of an entry. Operators stay unnamed, because their names are internal to the platform. */
function who({ type, id }: AuditEntry['actor'], names: Names, call: Call): Html {
  const { audit } = call.texts
  switch (type) {
    case 'key':
      return [audit.key, id && html`<p class="second">${linked(id, names, call)}</p>`]
    case 'viewer':
      return id === undefined ? audit.somebody : html`<code>${visibleText(id)}</code>`
    case 'worker':
      return audit.automatically
    case 'operator':
    case 'platform':
      return audit.platform
  }
}
