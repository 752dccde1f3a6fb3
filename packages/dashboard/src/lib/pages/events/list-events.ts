import type { FoundEvent } from '@callboard/core/store'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { filterBar, filterTabs } from '../../components/filter-bar.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager } from '../../components/pager.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { readList, unreadableList } from '../unreadable-list.ts'
import { type AskedEvents, askedEvents } from './asked-events.ts'
import { deliveryOutcomes, outcomeTone } from './delivery-outcomes.ts'
import { subjectText } from './subject-text.ts'

const PAGE = 25

/** Lists the account's events, newest first, and how they were delivered. All filters are in the URL. */
export async function listEvents(call: Call): Promise<Page> {
  const { callboard, accountId, mode } = call
  const asked = askedEvents(call)
  if (asked === undefined) return unreadableList(call, '/events')
  const list = await readList(callboard.events.search({ accountId, mode, ...asked, limit: PAGE }))
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
        ${
          call.may('webhooks.read') &&
          filterTabs(call, words.deliveries, 'deliveries', [
            { value: '', text: words.allDeliveries },
            { value: 'failing', text: words.failing },
          ])
        }
        ${filterBar(
          call,
          [
            { kind: 'search', name: 'search', label: words.search, placeholder: words.searchPlaceholder },
            {
              kind: 'select',
              name: 'type',
              label: common.eventType,
              all: common.allEventTypes,
              options: types.map((value) => ({ value, text: value })),
            },
            { kind: 'time', name: 'from', label: common.from, value: asked.from },
            { kind: 'time', name: 'to', label: common.to, value: asked.to },
          ],
          { keep: ['deliveries'] },
        )}
        ${
          list.data.length > 0
            ? card(
                { flush: true },
                dataTable({
                  caption: words.caption,
                  columns: columns(call),
                  rows: list.data,
                  id: ({ id }) => id,
                  tone: call.may('webhooks.read') ? outcomeTone : undefined,
                }),
              )
            : nothing(asked, list.nextCursor !== null, call)
        }
        ${pager(call, list.nextCursor, list.data.length < PAGE ? common.searchOlder : common.older)}
      </section>`,
  }
}

function columns(call: Call): readonly Column<FoundEvent>[] {
  const words = call.texts.events
  const all: readonly Column<FoundEvent>[] = [
    {
      head: words.event,
      kind: 'main',
      cell: ({ id, type }) => html`
        <div>
          <a href=${call.href(`/events/${id}`)}>${type}</a>
          <p class="second wide-only"><code>${id}</code></p>
        </div>`,
    },
    { head: words.subject, phone: 'bare', cell: ({ subject }) => subjectText(subject) },
    { head: words.occurred, phone: 'bare', cell: ({ occurredAt }) => time(call, occurredAt) },
  ]
  if (!call.may('webhooks.read')) return all
  return [...all, { head: words.deliveries, kind: 'state', cell: (event) => deliveryOutcomes(event, call) }]
}

function nothing({ type, search, from, to, failing }: AskedEvents, more: boolean, call: Call): Html {
  const { common, events: words } = call.texts
  if (more) return emptyState(common.noMatchesYet, words.notSearched)
  const all = html`<a class="button" href=${call.href('/events')}>${words.showAll}</a>`
  if (call.query.has('cursor')) return emptyState(words.noneOlder, common.endOfList, all)
  const narrowed = search !== undefined || from !== undefined || to !== undefined
  if (narrowed || (failing && type !== undefined)) return emptyState(words.noneFound.title, words.noMatch, all)
  if (failing) return emptyState(words.noneFailing.title, words.noneFailing.body, all)
  if (type !== undefined) return emptyState(words.noneFound.title, words.noneFound.body(type), all)
  return emptyState(words.noneYet.title, words.noneYet.body)
}
