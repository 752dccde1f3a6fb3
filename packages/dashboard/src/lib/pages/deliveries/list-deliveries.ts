import type { DeliveryState, SubscriptionRecord } from '@callboard/core'
import { subscriptionName } from '@callboard/core/engine'
import { DELIVERY_STATES } from '@callboard/core/store'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { emptyState } from '../../components/empty-state.ts'
import { type Filter, filterBar, filterTabs } from '../../components/filter-bar.ts'
import { pageHead } from '../../components/page-head.ts'
import { pager } from '../../components/pager.ts'
import { nameOf } from '../../components/subscription-name.ts'
import { target } from '../../components/target.ts'
import { type Html, html } from '../../html.ts'
import { askedTimes } from '../asked-times.ts'
import { askedSubscription } from '../subscriptions/asked-subscription.ts'
import { readList, unreadableList } from '../unreadable-list.ts'
import { deliveryTable } from './delivery-table.ts'
import { type FailingDeliveries, failingDeliveries, lastFailed } from './failing-deliveries.ts'

/** The states in the order of their tabs: states that need attention come first. */
const STATES: readonly DeliveryState[] = [
  ...new Set<DeliveryState>(['exhausted', 'retrying', 'pending', 'delivered', ...DELIVERY_STATES]),
]
const PAGE = 25
const NONE: FailingDeliveries = { exhausted: [], retrying: [] }

/**
 * Lists a subscription's deliveries, newest first, filtered by state and event type. Without a filter, a few failing
 * deliveries come first.
 */
export async function listDeliveries(call: Call): Promise<Page> {
  const subscription = await askedSubscription(call)
  const { accountId, mode, id: subscriptionId } = subscription
  const path = `/subscriptions/${subscriptionId}/deliveries`
  const asked = call.query.get('state') || undefined
  const state = STATES.find((each) => each === asked)
  const type = call.query.get('type') || undefined
  const cursor = call.query.get('cursor') || undefined
  const types = typesOf(subscription, call)
  const { common, deliveries: words } = call.texts
  const times = askedTimes(call)
  if (asked !== state || (type !== undefined && !types.includes(type)) || times === undefined)
    return unreadableList(call, path)
  const isTimed = times.from !== undefined || times.to !== undefined
  const isWhole = state === undefined && type === undefined && cursor === undefined && !isTimed
  const [list, failing] = await Promise.all([
    readList(
      call.callboard.deliveries.list({ accountId, mode, subscriptionId, state, type, ...times, cursor, limit: PAGE }),
    ),
    isWhole ? failingDeliveries(call, subscription) : NONE,
  ])
  if (list === undefined) return unreadableList(call, path)
  const { nextCursor } = list
  const failed = lastFailed(failing)
  const deliveries = list.deliveries.filter(({ eventId }) => !failed.some((each) => each.eventId === eventId))
  return {
    title: words.titleTo(subscriptionName(subscription)),
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.title, {
          up: { text: nameOf(subscription), href: call.href(`/subscriptions/${subscription.id}`) },
          lead: words.lead(target(subscription.targetUrl)),
          actions: call.may('webhooks.write') && resendLink(subscription, call),
        })}
        ${filterTabs(call, common.state, 'state', [
          { value: '', text: words.allStates },
          ...STATES.map((value) => ({ value, text: words.states[value] })),
        ])}
        ${filterBar(
          call,
          [
            ...(types.length > 1 ? [eventTypeFilter(types, call)] : []),
            { kind: 'time', name: 'from', label: common.from, value: times.from },
            { kind: 'time', name: 'to', label: common.to, value: times.to },
          ],
          { keep: ['state'] },
        )}
        ${failed.length > 0 && card({ title: words.failing, flush: true }, deliveryTable(failed, call, { caption: words.failingCaption }))}
        ${
          deliveries.length > 0 || failed.length > 0
            ? deliveries.length > 0 &&
              card({ title: failed.length > 0 && words.newest, flush: true }, deliveryTable(deliveries, call))
            : nothing({ subscription, state, type, isTimed, more: nextCursor !== null }, call)
        }
        ${pager(call, nextCursor, list.deliveries.length < PAGE ? common.searchOlder : common.older)}
      </section>`,
  }
}

/**
 * The event types to filter by: the subscription's own first, then all others, because events of any type can be resent
 * to the subscription.
 */
function typesOf({ eventTypes, accountId }: SubscriptionRecord, { engine: { formats } }: Call): readonly string[] {
  const offered = formats.offered(formats.served(formats.current), accountId)
  return [...new Set([...eventTypes, ...offered.map(({ type }) => type)])]
}

function resendLink({ id, state }: SubscriptionRecord, call: Call): Html {
  return (
    state === 'active' &&
    html`<a class="button" href=${call.href(`/subscriptions/${id}/resend`)}>${call.texts.deliveries.resendDeliveries}</a>`
  )
}

function eventTypeFilter(types: readonly string[], { texts: { common } }: Call): Filter {
  const options = types.map((value) => ({ value, text: value }))
  return { kind: 'select', name: 'type', label: common.eventType, all: common.allEventTypes, options }
}

interface Nothing {
  readonly subscription: SubscriptionRecord
  readonly state: DeliveryState | undefined
  readonly type: string | undefined
  readonly isTimed: boolean
  /** Whether there are older deliveries that the search has not reached. */
  readonly more: boolean
}

function nothing({ subscription, state, type, isTimed, more }: Nothing, call: Call): Html {
  const { common, deliveries: words } = call.texts
  if (more) return emptyState(common.noMatchesYet, words.notSearched)
  const all = html`<a class="button" href=${call.href(`/subscriptions/${subscription.id}/deliveries`)}>${words.showAll}</a>`
  if (call.query.has('cursor')) return emptyState(words.noneOlder, common.endOfList, all)
  if (state === 'exhausted' && type === undefined && !isTimed)
    return emptyState(words.noneExhausted.title, words.noneExhausted.body, all)
  if (state !== undefined || type !== undefined || isTimed)
    return emptyState(words.noneFound.title, isTimed ? words.noneFound.timed : words.noneFound.body, all)
  return emptyState(words.noneYet, words.noneYetOfTypes(subscription.eventTypes))
}
