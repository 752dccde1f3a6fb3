import { COUNTED_SUBSCRIPTIONS, type SubscriptionCounts, type SubscriptionWithHealth } from '@callboard/core/store'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { filterBar, filterTabs } from '../../components/filter-bar.ts'
import { icon } from '../../components/icon.ts'
import { notice } from '../../components/notice.ts'
import { number } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager } from '../../components/pager.ts'
import { type Html, html } from '../../html.ts'
import { readList, unreadableList } from '../unreadable-list.ts'
import { subscriptionColumns } from './subscription-columns.ts'
import { stateInWords } from './subscription-state.ts'

const STATES = ['failing', 'disabled'] as const
const PAGE = 25

/** Lists the account's subscriptions with their health, newest first. Failing subscriptions stand out. */
export async function listSubscriptions(call: Call): Promise<Page> {
  const asked = call.query.get('state') || undefined
  const state = STATES.find((each) => each === asked)
  const search = call.query.get('search')?.trim() || undefined
  const cursor = call.query.get('cursor') || undefined
  if (asked !== state) return unreadableList(call, '/subscriptions')
  const owner = { accountId: call.accountId, mode: call.mode }
  const list = await readList(call.callboard.subscriptions.overview(owner, { state, search, cursor, limit: PAGE }))
  if (list === undefined) return unreadableList(call, '/subscriptions')
  const { subscriptions, counts, nextCursor } = list
  return {
    title: counts.failing > 0 ? `Subscriptions (${counted(counts.failing, call)} failing)` : 'Subscriptions',
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Subscriptions', {
          lead: 'Where your events are sent',
          actions: call.may('webhooks.write') && newLink(call),
        })}
        ${notice(call, { removed: 'Subscription removed. Nothing more is sent to its target.' })}
        ${failingElsewhere(subscriptions, counts, call)}
        ${counts.all > 0 && filters(counts, call)}
        ${
          subscriptions.length > 0
            ? card(
                { flush: true },
                dataTable({
                  caption: 'Subscriptions',
                  columns: subscriptionColumns(call),
                  rows: subscriptions,
                  id: ({ id }) => id,
                  tone: (row) => stateInWords(row, call).tone,
                }),
              )
            : nothing({ all: counts.all, state, search, more: nextCursor !== null }, call)
        }
        ${pager(call, nextCursor, subscriptions.length < PAGE ? 'Search older' : 'Older')}
      </section>`,
  }
}

function filters(counts: SubscriptionCounts, call: Call): Html {
  return [
    filterTabs(call, 'State', 'state', [
      { value: '', text: 'All', count: counted(counts.all, call) },
      { value: 'failing', text: 'Failing', count: counted(counts.failing, call), alarming: counts.failing > 0 },
      { value: 'disabled', text: 'Disabled', count: counted(counts.disabled, call) },
    ]),
    filterBar(
      call,
      [{ kind: 'search', name: 'search', label: 'Search', placeholder: 'Name, target, reference or integration' }],
      { keep: ['state'] },
    ),
  ]
}

/** The store stops counting at `COUNTED_SUBSCRIPTIONS`, so a count that reaches it is shown with a plus sign. */
function counted(count: number, call: Call): string {
  return count >= COUNTED_SUBSCRIPTIONS ? `${number(call, COUNTED_SUBSCRIPTIONS)}+` : number(call, count)
}

/** Says that subscriptions on other pages of the list are failing. */
function failingElsewhere(shown: readonly SubscriptionWithHealth[], { failing }: SubscriptionCounts, call: Call): Html {
  const here = shown.filter((one) => stateInWords(one, call).standing === 'failing').length
  if (here >= failing || call.query.get('state') === 'failing') return undefined
  return callout('danger', {
    title: failing === 1 ? 'One subscription is failing' : `${counted(failing, call)} subscriptions are failing`,
    actions: html`<a class="button" href=${call.href('/subscriptions', { state: 'failing' })}>Show failing subscriptions</a>`,
  })
}

function newLink(call: Call): Html {
  return html`<a class="button button-primary" href=${call.href('/subscriptions/new')}>${icon('plus')}New subscription</a>`
}

interface Nothing {
  readonly all: number
  readonly state: (typeof STATES)[number] | undefined
  readonly search: string | undefined
  /** Whether there are older subscriptions that the search has not reached. */
  readonly more: boolean
}

function nothing({ all, state, search, more }: Nothing, call: Call): Html {
  if (all === 0)
    return emptyState(
      'No subscriptions yet',
      `Turn on an automation in ${automations(call)}, and it appears here.${call.may('webhooks.write') ? ' You can also create a subscription yourself.' : ''}`,
      call.may('webhooks.write') && newLink(call),
    )
  const whole = html`<a class="button" href=${call.href('/subscriptions')}>Show all subscriptions</a>`
  if (more)
    return emptyState(
      'No matches yet',
      'Older subscriptions have not been searched. Select “Search older” to continue.',
    )
  if (search !== undefined)
    return emptyState(
      'No matching subscriptions',
      'The search covers names, target URLs, external references and integrations.',
      whole,
    )
  if (state === 'failing') return emptyState('No failing subscriptions', 'Every active subscription is working.', whole)
  if (state === 'disabled') return emptyState('No disabled subscriptions', 'All subscriptions are active.', whole)
  return emptyState('No older subscriptions', 'This is the end of the list.', whole)
}

function automations({ callboard, locale }: Call): string {
  const names = callboard.integrations.filter(({ name }) => name !== 'other').map(({ displayName }) => displayName)
  if (names.length === 0) return 'your automation tool'
  return new Intl.ListFormat(locale.startsWith('en') ? locale : 'en', { type: 'disjunction' }).format(names)
}
