import type { Envelope } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { filterBar } from '../../components/filter-bar.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager } from '../../components/pager.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { readList, unreadableList } from '../unreadable-list.ts'

/** Lists the account's events, newest first, optionally of one type. */
export async function listEvents(call: Call): Promise<Page> {
  const { callboard, accountId, mode, query } = call
  const type = query.get('type') || undefined
  const cursor = query.get('cursor') || undefined
  const list = await readList(callboard.events.page({ accountId, mode }, { type, cursor }))
  if (list === undefined) return unreadableList(call, '/events')
  const { formats } = call.engine
  const types = formats.offered(formats.served(formats.current), accountId).map(({ type: name }) => name)
  const { common, events: words } = call.texts
  return {
    title: words.title,
    section: 'events',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.title, { lead: words.lead })}
        ${filterBar(call, [
          {
            kind: 'select',
            name: 'type',
            label: common.eventType,
            all: common.allEventTypes,
            options: types.map((value) => ({ value, text: value })),
          },
        ])}
        ${
          list.data.length > 0
            ? card(
                { flush: true },
                dataTable({
                  caption: words.caption,
                  columns: columns(call),
                  rows: list.data,
                  id: ({ id }) => id,
                }),
              )
            : nothing(type, call)
        }
        ${pager(call, list.nextCursor)}
      </section>`,
  }
}

function columns(call: Call): readonly Column<Envelope>[] {
  const words = call.texts.events
  return [
    {
      head: words.event,
      kind: 'main',
      cell: ({ id, type }) => html`
        <div>
          <a href=${call.href(`/events/${id}`)}>${type}</a>
          <p class="second"><code>${id}</code></p>
        </div>`,
    },
    {
      head: words.subject,
      kind: 'wide',
      phone: 'bare',
      cell: ({ subject }) => html`<span>${visibleText(subject.type)} ${visibleText(subject.id)}</span>`,
    },
    { head: words.occurred, phone: 'bare', cell: ({ occurred_at }) => time(call, new Date(occurred_at)) },
  ]
}

function nothing(type: string | undefined, call: Call): Html {
  const { common, events: words } = call.texts
  const all = html`<a class="button" href=${call.href('/events')}>${words.showAll}</a>`
  if (call.query.has('cursor')) return emptyState(words.noneOlder, common.endOfList, all)
  if (type !== undefined) return emptyState(words.noneFound.title, words.noneFound.body(type), all)
  return emptyState(words.noneYet.title, words.noneYet.body)
}
