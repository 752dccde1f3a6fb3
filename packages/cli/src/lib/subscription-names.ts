import type { Callboard } from '@callboard/core'
import { type Nameable, subscriptionName, targetName } from '@callboard/core/engine'
import type { SubscriptionRef } from '@callboard/core/store'
import { formatCell } from './table.ts'

/** Names a subscription in a message: `CRM (sub_…)`. */
export function labelOf(subscription: Nameable & Pick<SubscriptionRef, 'id'>): string {
  return `${formatCell(subscriptionName(subscription))} (${subscription.id})`
}

/** Finds a subscription and names it in a message; only by its id if it does not exist. */
export async function findLabel({ subscriptions }: Callboard, ref: SubscriptionRef): Promise<string> {
  const found = await subscriptions.find(ref)
  return found === undefined ? ref.id : labelOf(found)
}

/** A column of a table with the names of subscriptions. Those that share a name have their targets behind it. */
export function nameColumn(subscriptions: readonly Nameable[]): (subscription: Nameable) => string {
  const names = subscriptions.map(subscriptionName)
  const shared = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return (subscription) => {
    const name = subscriptionName(subscription)
    const target = targetName(subscription.targetUrl)
    return shared.has(name) && name !== target ? `${name} (${target})` : name
  }
}
