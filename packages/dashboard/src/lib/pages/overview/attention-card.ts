import type { Trouble, TroubledSubscription } from '@callboard/core'
import type { AccountActivity } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { number } from '../../components/number.ts'
import { subscriptionBadge } from '../../components/state-badges.ts'
import { nameOf, targetBelow } from '../../components/subscription-name.ts'
import { type Html, html } from '../../html.ts'
import { mend, supportLink } from '../subscriptions/subscription-actions.ts'
import { TROUBLE_TONES } from '../subscriptions/subscription-state.ts'
import { type Suspicion, secretLinks, suspicionOf } from '../subscriptions/suspected-secret.ts'
import { heldBackBecause, whatToDo } from '../subscriptions/what-to-do.ts'

/** The most subscriptions of each kind that the card shows, so that none of the kinds hides the others. */
const SHOWN = 10

const KINDS: readonly (readonly Trouble[])[] = [['disabled'], ['paused', 'failing'], ['behind', 'slow', 'heldBack']]

/** The subscriptions that need attention: each with its problem and advice, and what to do about it in the same row. */
export async function attentionCard(
  troubled: readonly TroubledSubscription[],
  counts: AccountActivity['counts'],
  call: Call,
): Promise<Html> {
  const { overview: words, subscriptions } = call.texts
  const shown = KINDS.flatMap((kind) => troubled.filter(({ trouble }) => kind.includes(trouble)).slice(0, SHOWN))
  const rows = await Promise.all(shown.map(async (one) => ({ ...one, ...(await suspicionOf(one, call)) })))
  const isHere = (state: 'disabled' | 'failing'): number =>
    shown.filter((one) => (state === 'disabled') === (one.state === 'disabled')).length
  const all = (state: 'disabled' | 'failing', text: string): Html =>
    counts[state] > isHere(state) && html`<a class="button" href=${call.href('/subscriptions', { state })}>${text}</a>`
  return card(
    {
      title:
        shown.length < troubled.length
          ? words.someNeedAttention(number(call, shown.length), number(call, troubled.length))
          : words.needAttention,
      actions: [all('failing', subscriptions.showFailing), all('disabled', subscriptions.showDisabledOnes)],
      flush: shown.length > 0,
    },
    shown.length === 0
      ? emptyState(words.noneTroubled.title, words.noneTroubled.body)
      : dataTable({
          caption: words.needAttention,
          columns: columns(call),
          rows,
          id: ({ id }) => `troubled-${id}`,
          tone: ({ trouble }) => TROUBLE_TONES[trouble],
        }),
  )
}

type Row = TroubledSubscription & Suspicion

function columns(call: Call): readonly Column<Row>[] {
  const { common, subscriptions } = call.texts
  return [
    {
      head: subscriptions.one,
      kind: 'main',
      cell: (row) => [
        html`<a href=${call.href(`/subscriptions/${row.id}`)}>${nameOf(row)}</a>`,
        targetBelow(row),
        problem(row, call),
      ],
    },
    { head: common.state, kind: 'state', cell: ({ trouble }) => subscriptionBadge(call, trouble) },
    {
      head: common.actions,
      kind: 'actions',
      cell: (row) => [
        mend(row, call),
        supportLink(row, call),
        row.state === 'active' && secretLinks(row, row.last, call),
      ],
    },
  ]
}

function problem({ last, rotated, ...subscription }: Row, call: Call): Html {
  const found =
    whatToDo(subscription, call, { response: last?.response, rotated }) ?? heldBackBecause(subscription, call)
  return found && [html`<p class="second">${found.title}</p>`, html`<p class="second">${found.body}</p>`]
}
