import type { SubscriptionWithHealth } from '@callboard/core'
import { type AccountActivity, CAPS } from '@callboard/core/store'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { filterBar, filterTabs } from '../../components/filter-bar.ts'
import { notice } from '../../components/notice.ts'
import { count } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager } from '../../components/pager.ts'
import { type Html, html } from '../../html.ts'
import type { Count } from '../../texts/count.ts'
import { readList, unreadableList } from '../unreadable-list.ts'
import { newLink, noSubscriptions } from './no-subscriptions.ts'
import { subscriptionColumns } from './subscription-columns.ts'
import { stateInWords } from './subscription-state.ts'

const STATES = ['failing', 'disabled'] as const
/** The maximum number of subscriptions on a page. Low, so that a page is not too long on a phone. */
const PAGE = 20

/** Lists the account's subscriptions with their health, newest first. Failing subscriptions stand out. */
export async function listSubscriptions(call: Call): Promise<Page> {
  const asked = call.query.get('state') || undefined
  const state = STATES.find((each) => each === asked)
  const search = call.query.get('search')?.trim() || undefined
  const cursor = call.query.get('cursor') || undefined
  if (asked !== state) return unreadableList(call, '/subscriptions')
  const owner = { accountId: call.accountId, mode: call.mode }
  const list = await readList(call.callboard.subscriptions.overview({ ...owner, state, search, cursor, limit: PAGE }))
  if (list === undefined) return unreadableList(call, '/subscriptions')
  const { subscriptions, counts, nextCursor } = list
  const { common, subscriptions: words } = call.texts
  return {
    title: counts.failing > 0 ? words.titleFailing(counted(counts.failing, call)) : words.title,
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.title, {
          lead: words.lead,
          actions: call.may('webhooks.write') && newLink(call),
        })}
        ${notice(call, { removed: words.done.removed })}
        ${failingElsewhere(subscriptions, counts, call)}
        ${counts.all > 0 && filters(counts, call)}
        ${
          subscriptions.length > 0
            ? card(
                { flush: true },
                dataTable({
                  caption: words.title,
                  columns: subscriptionColumns(call),
                  rows: subscriptions,
                  id: ({ id }) => id,
                  tone: (row) => stateInWords(row, call).tone,
                }),
              )
            : nothing({ all: counts.all, state, search, more: nextCursor !== null }, call)
        }
        ${pager(call, nextCursor, subscriptions.length < PAGE ? common.searchOlder : common.older)}
      </section>`,
  }
}

function filters(counts: AccountActivity['counts'], call: Call): Html {
  const { common, subscriptions: words } = call.texts
  const tab = (value: string, text: string, of: keyof AccountActivity['counts']) => ({
    value,
    text,
    count: counted(counts[of], call).text,
  })
  return [
    filterTabs(call, common.state, 'state', [
      tab('', words.all, 'all'),
      { ...tab('failing', words.states.failing, 'failing'), alarming: counts.failing > 0 },
      tab('disabled', words.states.disabled, 'disabled'),
    ]),
    filterBar(call, [{ kind: 'search', name: 'search', label: words.search, placeholder: words.searchPlaceholder }], {
      keep: ['state'],
    }),
  ]
}

/** The store stops counting at `CAPS.subscriptions`, so a count that reaches it is shown with a plus sign. */
function counted(value: number, call: Call): Count {
  const whole = count(call, Math.min(value, CAPS.subscriptions))
  return value >= CAPS.subscriptions ? { ...whole, text: `${whole.text}+` } : whole
}

/** Says that subscriptions on other pages of the list are failing. */
function failingElsewhere(
  shown: readonly SubscriptionWithHealth[],
  { failing }: AccountActivity['counts'],
  call: Call,
): Html {
  const words = call.texts.subscriptions
  const here = shown.filter(({ state, health }) => state === 'active' && health.failing !== undefined).length
  if (here >= failing || call.query.get('state') === 'failing') return undefined
  return callout('danger', {
    title: words.failingElsewhere(counted(failing, call)),
    actions: html`<a class="button" href=${call.href('/subscriptions', { state: 'failing' })}>${words.showFailing}</a>`,
  })
}

interface Nothing {
  readonly all: number
  readonly state: (typeof STATES)[number] | undefined
  readonly search: string | undefined
  /** Whether there are older subscriptions that the search has not reached. */
  readonly more: boolean
}

function nothing({ all, state, search, more }: Nothing, call: Call): Html {
  const { common, subscriptions: words } = call.texts
  if (all === 0) return noSubscriptions(call)
  const whole = html`<a class="button" href=${call.href('/subscriptions')}>${words.showAll}</a>`
  if (more) return emptyState(common.noMatchesYet, words.notSearched)
  if (search !== undefined) return emptyState(words.noneFound.title, words.noneFound.body, whole)
  if (state === 'failing') return emptyState(words.noneFailing.title, words.noneFailing.body, whole)
  if (state === 'disabled') return emptyState(words.noneDisabled.title, words.noneDisabled.body, whole)
  return emptyState(words.noneOlder, common.endOfList, whole)
}
