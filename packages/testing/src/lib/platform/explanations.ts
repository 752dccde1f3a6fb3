import { type CallboardError, MODES, type SubscriptionRecord } from '@callboard/core'
import type { AnyCallboard } from '@callboard/core/engine'
import type { DeliveryFilter, TestDelivery } from './test-delivery.ts'
import { keyOf, wrong } from './test-targets.ts'

/** Says why a target got no request, and what to do. */
export async function explainUnasked(callboard: AnyCallboard, url: string, now: number): Promise<CallboardError> {
  const own = await assertTarget(callboard, url)
  const disabled = own.find(({ state }) => state === 'disabled')
  if (disabled !== undefined)
    return wrong(`${url} got no request, because its subscription is disabled (${disabled.disabledReason}).`)
  const dueAt = Math.min(...(await Promise.all(own.map((subscription) => nextAttemptOf(callboard, subscription)))))
  if (Number.isFinite(dueAt))
    return wrong(
      `${url} got no request since its answers were set. Its next attempt is due in ${dueAt - now} ms: await app.advance(${dueAt - now}).`,
    )
  const types = listOf(own.flatMap(({ eventTypes }) => eventTypes))
  return wrong(
    `${url} got no request since its answers were set: publish an event that its subscription takes (${types}).`,
  )
}

/** Throws if no subscription has the target, and otherwise returns those that have it. */
export async function assertTarget(callboard: AnyCallboard, url: string): Promise<SubscriptionRecord[]> {
  const all = await subscriptionsOf(callboard)
  const own = all.filter(({ targetUrl }) => keyOf(targetUrl) === keyOf(url))
  if (own.length > 0) return own
  throw wrong(`No subscription has the target ${url}. Targets: ${listOf(all.map(({ targetUrl }) => targetUrl))}.`)
}

/** Says which deliveries there are instead of exactly one that fits the filter. */
export async function explainDeliveries(
  callboard: AnyCallboard,
  { type = 'any type', version, targetUrl }: DeliveryFilter,
  found: readonly TestDelivery[],
): Promise<CallboardError> {
  const wanted = `one delivery of ${type}${version ? ` in ${version}` : ''}${targetUrl ? ` to ${targetUrl}` : ''}`
  if (found.length > 0) {
    const each = found.map(
      ({ event, subscription }) => `${event.type} ${event.subject.id} to ${subscription.targetUrl}`,
    )
    return wrong(
      `Expected ${wanted}, but there are ${found.length}: ${listOf(each)}. Use a narrower filter, or deliveries().`,
    )
  }
  const subscriptions = await subscriptionsOf(callboard)
  if (subscriptions.length === 0)
    return wrong(
      `Expected ${wanted}, but there is no subscription. Before publishing: await app.subscribe({ accountId }).`,
    )
  const takers = subscriptions.map(({ accountId, mode, eventTypes }) => `${accountId} (${mode}): ${listOf(eventTypes)}`)
  return wrong(
    `Expected ${wanted}, but there is none. Published: ${listOf(await publishedIn(callboard))}. Subscribed: ${listOf(takers)}.`,
  )
}

async function subscriptionsOf(callboard: AnyCallboard): Promise<SubscriptionRecord[]> {
  const owners = await ownersIn(callboard)
  return (await Promise.all(owners.map((owner) => callboard.subscriptions.list(owner)))).flat()
}

async function publishedIn(callboard: AnyCallboard): Promise<string[]> {
  const owners = await ownersIn(callboard)
  const pages = await Promise.all(
    owners.map(async (owner) => {
      const { data } = await callboard.events.page(owner)
      return data.map(({ type }) => `${type} for ${owner.accountId} (${owner.mode})`)
    }),
  )
  return pages.flat()
}

async function ownersIn(callboard: AnyCallboard): Promise<{ accountId: string; mode: (typeof MODES)[number] }[]> {
  const accounts = await callboard.accounts.list()
  return accounts.flatMap(({ id }) => MODES.map((mode) => ({ accountId: id, mode })))
}

/** When the next attempt for the subscription is due, in milliseconds since the epoch; infinite if none is. */
async function nextAttemptOf(callboard: AnyCallboard, { accountId, mode, id }: SubscriptionRecord): Promise<number> {
  const { deliveries } = await callboard.deliveries.list({ accountId, mode, subscriptionId: id })
  return Math.min(...deliveries.map(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? Number.POSITIVE_INFINITY))
}

const LISTED = 3

function listOf(items: readonly string[]): string {
  const unique = [...new Set(items)]
  const more = unique.length > LISTED ? ` and ${unique.length - LISTED} more` : ''
  return unique.length === 0 ? 'none' : unique.slice(0, LISTED).join(', ') + more
}
