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
  return {
    title: 'Events',
    section: 'events',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Events', { lead: 'Everything published in your account, newest first' })}
        ${filterBar(call, [
          {
            kind: 'select',
            name: 'type',
            label: 'Event type',
            all: 'All event types',
            options: types.map((value) => ({ value, text: value })),
          },
        ])}
        ${
          list.data.length > 0
            ? card(
                { flush: true },
                dataTable({
                  caption: 'Events, newest first',
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
  return [
    {
      head: 'Event',
      kind: 'main',
      cell: ({ id, type }) => html`
        <div>
          <a href=${call.href(`/events/${id}`)}>${type}</a>
          <p class="muted"><code>${id}</code></p>
        </div>`,
    },
    {
      head: 'Subject',
      kind: 'wide',
      cell: ({ subject }) => html`<span>${visibleText(subject.type)} ${visibleText(subject.id)}</span>`,
    },
    { head: 'Occurred', cell: ({ occurred_at }) => time(new Date(occurred_at)) },
  ]
}

function nothing(type: string | undefined, call: Call): Html {
  const all = html`<a class="button" href=${call.href('/events')}>Show all events</a>`
  if (call.query.has('cursor')) return emptyState('No older events', 'This is the end of the list.', all)
  if (type !== undefined) return emptyState('No matching events', `There are no recent events of type ${type}.`, all)
  return emptyState('No events yet', 'Events in your account appear here as soon as they are published.')
}
